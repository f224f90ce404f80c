package dev.holdfast.api;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.time.Duration;

/** Thrown when an awaited job has not ended in time. The job itself is not affected. */
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
            .formatted(id, state, waited));
  }
}
