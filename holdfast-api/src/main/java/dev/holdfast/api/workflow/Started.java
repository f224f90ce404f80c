package dev.holdfast.api.workflow;

import dev.holdfast.api.type.TypeRef;

/**
 * The result of a start.
 *
 * @param id the id of the new or existing run
 * @param outcome whether the run was created
 * @param resultType the type of the result of the run
 * @param <R> the type of the result
 */
public record Started<R>(RunId id, Outcome outcome, TypeRef<R> resultType) {

  /** What a start did. */
  public enum Outcome {
    /** It created a run. */
    CREATED,
    /** A run with the same unique key or id existed; nothing was changed. */
    EXISTING,
    /** The maximum number of runs is active, and the workflow skips further ones. */
    SKIPPED
  }

  /** Returns whether this start created the run. */
  public boolean created() {
    return outcome == Outcome.CREATED;
  }
}
