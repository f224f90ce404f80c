package dev.holdfast.api;

import dev.holdfast.api.job.Job;

/** An awaited job ended without a result: it failed for good, was cancelled, or expired. */
public final class JobFailedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient Job job;

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

  /** The job as it ended, with its failed attempts. */
  public Job job() {
    return job;
  }
}
