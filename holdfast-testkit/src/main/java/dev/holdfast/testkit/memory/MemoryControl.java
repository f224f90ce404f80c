package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.CancelAnswer;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueAnswer;
import dev.holdfast.api.job.RetryAnswer;
import dev.holdfast.engine.store.Control;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Changing one's mind about jobs. */
final class MemoryControl implements Control {
  private final Tables tables;

  MemoryControl(Tables tables) {
    this.tables = tables;
  }

  @Override
  public CancelAnswer cancel(JobId id) {
    return tables.transaction(now -> {
      JobRow row = tables.find(id);
      if (row == null) {
        return CancelAnswer.NOT_FOUND;
      }
      if (row.state.hasEnded()) {
        return CancelAnswer.ALREADY_ENDED;
      }
      if (row.state == JobState.RUNNING) {
        row.cancelRequested = true;
        return CancelAnswer.REQUESTED;
      }
      tables.end(row, JobState.CANCELLED, now);
      return CancelAnswer.CANCELLED;
    });
  }

  @Override
  public RequeueAnswer requeue(JobId id) {
    return tables.transaction(now -> {
      JobRow row = tables.live.get(id);
      if (row == null) {
        return switch (retry(id)) {
          case READY -> RequeueAnswer.READY;
          case NOT_FAILED -> RequeueAnswer.ENDED;
          case KEY_TAKEN -> RequeueAnswer.KEY_TAKEN;
          case NOT_FOUND -> RequeueAnswer.NOT_FOUND;
        };
      }
      if (row.state.isHeld()) {
        row.releaseRequested = true;
        return RequeueAnswer.REQUESTED;
      }
      if (row.state == JobState.READY) {
        return RequeueAnswer.ALREADY_READY;
      }
      row.runAt = now;
      tables.queue(row, now);
      return RequeueAnswer.READY;
    });
  }

  @Override
  public RetryAnswer retry(JobId id) {
    return tables.transaction(now -> {
      JobRow row = tables.deadLetter.get(id);
      if (row == null) {
        return tables.find(id) == null ? RetryAnswer.NOT_FOUND : RetryAnswer.NOT_FAILED;
      }
      if (!tables.keys.isFreeFor(row)) {
        return RetryAnswer.KEY_TAKEN;
      }
      tables.revive(row, now);
      return RetryAnswer.READY;
    });
  }

  @Override
  public Map<String, Integer> retryAll(JobFilter filter, int limit) {
    return tables.transaction(now -> {
      Map<String, Integer> moved = new TreeMap<>();
      int left = limit;
      for (JobRow row : List.copyOf(tables.deadLetter.values())) {
        // Asked row by row: of two that share a key, the first one revived takes it.
        if (left > 0 && row.passes(filter) && tables.keys.isFreeFor(row)) {
          tables.revive(row, now);
          moved.merge(row.queue, 1, Integer::sum);
          left--;
        }
      }
      return moved;
    });
  }

  @Override
  public int purge(JobFilter filter, int limit) {
    return tables.transaction(now -> {
      List<JobRow> doomed =
          tables.deadLetter.values().stream()
              .filter(row -> row.passes(filter))
              .limit(limit)
              .toList();
      doomed.forEach(row -> tables.deadLetter.remove(row.id));
      return doomed.size();
    });
  }
}
