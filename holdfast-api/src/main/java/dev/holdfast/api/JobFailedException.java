package dev.holdfast.api;

import dev.holdfast.api.job.Job;

/** Thrown when an awaited job ended without a result: it failed, was cancelled, or expired. */
public final class JobFailedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient Job job;

  /** Creates the exception for a job that has ended. */
  public JobFailedException(Job job) {
    super(
        "Job %s of task %s ended %s%s"
            .formatted(
                job.id(),
                job.task(),
                job.state(),
                job.lastFailure().map(f -> ": " + f.code() + ", " + f.message()).orElse("")));
    this.job = job;
  }

  /** Returns the ended job, with its failed attempts. */
  public Job job() {
    return job;
  }
}
