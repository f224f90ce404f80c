package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.engine.store.JobControl;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Cancels, retries, requeues and purges jobs. */
final class MemoryJobControl implements JobControl {
  private final Tables tables;

  MemoryJobControl(Tables tables) {
    this.tables = tables;
  }

  @Override
  public CancelResult cancel(JobId id) {
    return tables.transaction(now -> {
      JobRow row = tables.find(id);
      if (row == null) {
        return CancelResult.NOT_FOUND;
      }
      if (row.state.hasEnded()) {
        return CancelResult.ALREADY_ENDED;
      }
      if (row.state == JobState.RUNNING) {
        row.cancelRequested = true;
        return CancelResult.REQUESTED;
      }
      tables.end(row, JobState.CANCELLED, now);
      return CancelResult.CANCELLED;
    });
  }

  @Override
  public RequeueResult requeue(JobId id) {
    return tables.transaction(now -> {
      JobRow row = tables.live.get(id);
      if (row == null) {
        return switch (retry(id)) {
          case READY -> RequeueResult.READY;
          case NOT_FAILED -> RequeueResult.ENDED;
          case KEY_TAKEN -> RequeueResult.KEY_TAKEN;
          case NOT_FOUND -> RequeueResult.NOT_FOUND;
        };
      }
      if (row.state.isHeld()) {
        row.releaseRequested = true;
        return RequeueResult.REQUESTED;
      }
      if (row.state == JobState.READY) {
        return RequeueResult.ALREADY_READY;
      }
      if (row.state == JobState.ON_HOLD) {
        throw refused(row, "is paused: resume the run");
      }
      row.runAt = now;
      tables.queue(row, now);
      return RequeueResult.READY;
    });
  }

  @Override
  public RetryResult retry(JobId id) {
    return tables.transaction(now -> {
      JobRow row = tables.deadLetter.get(id);
      if (row == null) {
        return tables.find(id) == null ? RetryResult.NOT_FOUND : RetryResult.NOT_FAILED;
      }
      if (row.step != null) {
        throw refused(row, "has used its failure: retry the run");
      }
      if (!tables.keys.isFreeFor(row)) {
        return RetryResult.KEY_TAKEN;
      }
      tables.revive(row, now);
      return RetryResult.READY;
    });
  }

  private static IllegalArgumentException refused(JobRow row, String why) {
    return new IllegalArgumentException(
        "Job %s is a step of run %s, which %s."
            .formatted(row.id, Objects.requireNonNull(row.step).run(), why));
  }

  private boolean isOfOpenRun(JobRow row) {
    return row.step != null && tables.runs.open.containsKey(row.step.run());
  }

  @Override
  public Step retryAll(JobFilter filter, @Nullable Instant until, int limit) {
    return step(
        until,
        limit,
        filter,
        // Checked row by row: of two jobs that share a key, the first one that is revived takes it.
        (row, now) -> {
          boolean free = row.step == null && tables.keys.isFreeFor(row);
          if (free) {
            tables.revive(row, now);
          }
          return free;
        });
  }

  @Override
  public Step purge(JobFilter filter, @Nullable Instant until, int limit) {
    return step(
        until,
        limit,
        filter,
        (row, now) -> !isOfOpenRun(row) && tables.deadLetter.remove(row.id) != null);
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
