package dev.holdfast.api;

import dev.holdfast.api.job.JobId;

/** An enqueue was refused because its unique key is taken and its request said to fail then. */
public final class DuplicateJobException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient JobId existing;

  public DuplicateJobException(String key, JobId existing) {
    super(
        "Unique key '%s' is taken by job %s; wait for it to end, use another key, or choose another"
                .formatted(key, existing)
            + " answer to conflicts than FAIL.");
    this.existing = existing;
  }

  /** The job that holds the key. */
  public JobId existing() {
    return existing;
  }
}
