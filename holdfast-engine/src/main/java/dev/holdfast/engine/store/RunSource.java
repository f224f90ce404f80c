package dev.holdfast.engine.store;

import org.jspecify.annotations.Nullable;

/**
 * Where a run comes from.
 *
 * @param stack the stack that all jobs of the run belong to; null for any
 * @param startedBy the fields {@code schedule}, {@code trigger} and {@code event} of its context,
 *     as a JSON object; null if neither a schedule nor a trigger started it
 */
public record RunSource(@Nullable String stack, @Nullable String startedBy) {
  /** The source of a run that belongs to no stack and that a client started. */
  public static final RunSource NONE = new RunSource(null, null);
}
