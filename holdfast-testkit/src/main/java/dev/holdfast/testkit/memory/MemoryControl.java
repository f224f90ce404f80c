package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.CancelAnswer;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueAnswer;
import dev.holdfast.api.job.RetryAnswer;
import dev.holdfast.engine.store.Control;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

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
  public Step retryAll(JobFilter filter, @Nullable Instant until, int limit) {
    return step(
        until,
        limit,
        filter,
        // Asked row by row: of two that share a key, the first one revived takes it.
        (row, now) -> {
          boolean free = tables.keys.isFreeFor(row);
          if (free) {
            tables.revive(row, now);
          }
          return free;
        });
  }

  @Override
  public Step purge(JobFilter filter, @Nullable Instant until, int limit) {
    return step(until, limit, filter, (row, now) -> tables.deadLetter.remove(row.id) != null);
  }

  private Step step(
      @Nullable Instant until, int limit, JobFilter filter, BiPredicate<JobRow, Instant> change) {
    return tables.transaction(now -> {
      Step step = new Step(new TreeMap<>(), until == null ? now : until);
      for (JobRow row : List.copyOf(tables.deadLetter.values())) {
        if (step.count() < limit
            && row.passes(filter)
            && !Objects.requireNonNull(row.endedAt).isAfter(step.until())
            && change.test(row, now)) {
          step.jobs().merge(row.queue, 1, Integer::sum);
        }
      }
      return step;
    });
  }
}
