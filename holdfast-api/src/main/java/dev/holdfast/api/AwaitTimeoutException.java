package dev.holdfast.api;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.time.Duration;

/** An awaited job had not ended in time. The job itself goes on. */
public final class AwaitTimeoutException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public AwaitTimeoutException(JobId id, JobState state, Duration waited) {
    super(
        "Job %s is still %s after %s; it goes on, await it again or look at whyWaiting(id)."
            .formatted(id, state, waited));
  }
}
