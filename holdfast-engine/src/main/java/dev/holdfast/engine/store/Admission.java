package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;

/**
 * The result of enqueueing a {@link NewJob}.
 *
 * @param id the id of the stored job: the new job's own, or that of the job that holds its unique
 *     key
 * @param outcome what happened to the new job
 */
public record Admission(JobId id, Outcome outcome) {

  /** What happened to a new job. */
  public enum Outcome {
    /** The job was written. */
    CREATED,
    /** A job with the same unique key or id exists; nothing was changed. */
    EXISTING,
    /** A job with the same unique key exists and now has the payload and options of the new job. */
    REPLACED
  }
}
