package dev.holdfast.api.job;

import dev.holdfast.api.type.TypeRef;

/**
 * The result of an enqueue.
 *
 * @param id the id of the new or existing job
 * @param outcome whether the job was created, found or replaced
 * @param resultType the type of the result of the job's task
 * @param <R> the type of the result
 */
public record Enqueued<R>(JobId id, Outcome outcome, TypeRef<R> resultType) {

  /** What an enqueue did. */
  public enum Outcome {
    /** It created a job. */
    CREATED,
    /** A job with the same unique key or id existed; nothing was changed. */
    EXISTING,
    /** A job with the same unique key existed; it now has the new payload and options. */
    REPLACED
  }

  /** Returns whether this enqueue created the job. */
  public boolean created() {
    return outcome == Outcome.CREATED;
  }
}
