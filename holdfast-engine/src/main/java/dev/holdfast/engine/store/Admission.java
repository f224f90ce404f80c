package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;

/**
 * What became of a {@link NewJob}.
 *
 * @param id the job that stands for it: itself, or the holder of its unique key
 * @param outcome how that came about
 */
public record Admission(JobId id, Outcome outcome) {

  /** How a new job was received. */
  public enum Outcome {
    /** It was written. */
    CREATED,
    /** Its key or its id was known; nothing was changed. */
    EXISTING,
    /** Its key was known, and the job that held it now carries its payload and options. */
    REPLACED
  }
}
