package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.RunData.Failure;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The row of the result of a step, or of one job of a map. */
record StepResult(
    StepState outcome,
    int attempt,
    @Nullable JobId job,
    @Nullable Instant startedAt,
    Instant finishedAt,
    @Nullable String output,
    @Nullable Failure failure) {

  /** Returns the result of a job that ended. */
  static StepResult of(JobRow row, Instant now) {
    return new StepResult(
        outcome(row.state), row.attempt, row.id, row.startedAt, now, row.output, failure(row));
  }

  /** Returns a result that comes from no job. */
  static StepResult of(RunPlan.Result result, Instant now) {
    return without(result.outcome(), result.output(), result.failure(), now);
  }

  static StepResult without(
      StepState outcome, @Nullable String output, @Nullable Failure failure, Instant now) {
    return new StepResult(outcome, 0, null, null, now, output, failure);
  }

  /** Returns the result of the same job with another outcome. */
  StepResult replacedBy(StepResult other) {
    return new StepResult(
        other.outcome, attempt, job, startedAt, finishedAt, other.output, other.failure);
  }

  private static StepState outcome(JobState ended) {
    return switch (ended) {
      case SUCCEEDED -> StepState.SUCCEEDED;
      case CANCELLED -> StepState.CANCELLED;
      case FAILED, EXPIRED -> StepState.FAILED;
      case SCHEDULED, READY, CLAIMED, RUNNING, WAITING, ON_HOLD ->
          throw new IllegalStateException("A job that is %s has no result.".formatted(ended));
    };
  }

  private static @Nullable Failure failure(JobRow row) {
    return switch (row.state) {
      case FAILED -> lastFailure(row);
      case EXPIRED ->
          new Failure("TASK_EXPIRED", "Job %s did not start in time.".formatted(row.id));
      case CANCELLED -> new Failure("TASK_CANCELLED", "Job %s was cancelled.".formatted(row.id));
      default -> null;
    };
  }

  /** Returns why a dead-lettered job failed. */
  static Failure lastFailure(JobRow row) {
    if (row.failures.isEmpty()) {
      return new Failure("WORKER_CRASHED", "The node of job %s died.".formatted(row.id));
    }
    FailedAttempt last = row.failures.getLast();
    return new Failure(last.code(), last.message());
  }

  /** Returns the mark that tells the run about this result. */
  RunMark mark(int step) {
    return new RunMark(
        RunMark.Kind.ENDED,
        step,
        outcome == StepState.SUCCEEDED ? 1 : 0,
        outcome == StepState.FAILED ? 1 : 0,
        outcome == StepState.CANCELLED ? 1 : 0);
  }

  long bytes() {
    return output == null ? 0 : Utf8Length.bytes(output);
  }

  RunRow.Result toRow(int step) {
    return new RunRow.Result(step, outcome, attempt, job, startedAt, finishedAt, output, failure);
  }
}
