package dev.holdfast.api;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import java.time.Duration;

/** Thrown when an awaited job or run has not ended in time. It is not affected itself. */
public final class AwaitTimeoutException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param id the awaited job
   * @param state its state when the wait ended
   * @param waited how long the caller waited
   */
  public AwaitTimeoutException(JobId id, JobState state, Duration waited) {
    super(
        "Job %s is still %s after %s. It is not affected: await it again, or call whyWaiting(id)."
            .formatted(id, state, Times.describe(waited)));
  }

  /**
   * Creates the exception.
   *
   * @param id the awaited run
   * @param state its state when the wait ended
   * @param waited how long the caller waited
   */
  public AwaitTimeoutException(RunId id, RunState state, Duration waited) {
    super(
        "Run %s is still %s after %s. It is not affected: await it again, or look at its steps."
            .formatted(id, state, Times.describe(waited)));
  }
}
