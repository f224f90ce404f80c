package dev.holdfast.api;

import dev.holdfast.api.job.JobId;

/**
 * Thrown by an enqueue whose unique key is taken and whose {@linkplain
 * dev.holdfast.api.job.UniqueKey.OnConflict conflict rule} is FAIL. Nothing was written.
 */
public final class DuplicateJobException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient JobId existing;

  /**
   * Creates the exception.
   *
   * @param key the unique key
   * @param existing the job that has the key
   */
  public DuplicateJobException(String key, JobId existing) {
    super(
        "Unique key '%s' is taken by job %s: wait until that job has ended, use another key, or set onConflict to RETURN_EXISTING or REPLACE."
            .formatted(key, existing));
    this.existing = existing;
  }

  /** Returns the id of the job that has the key. */
  public JobId existing() {
    return existing;
  }
}
