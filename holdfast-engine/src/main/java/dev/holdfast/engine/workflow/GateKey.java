package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.MaxActive;
import org.jspecify.annotations.Nullable;

/** The value by which active runs are counted. */
final class GateKey {
  private GateKey() {}

  /**
   * Returns the value of the field that a limit counts by; empty if it counts all runs together.
   *
   * @throws IllegalArgumentException if the input is not JSON
   */
  static String of(MaxActive limit, String input) {
    @Nullable String field = limit.field();
    return field == null ? "" : ContextMerge.valueAt(input, field);
  }
}
