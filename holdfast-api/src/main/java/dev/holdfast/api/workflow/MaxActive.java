package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.TriggerNames;
import org.jspecify.annotations.Nullable;

/**
 * How many runs of a workflow may be active at once, for all of them or for each value of a field
 * of their input.
 *
 * <pre>{@code
 * MaxActive oneEach = MaxActive.of(1).per("customer").onFull(MaxActive.OnFull.REPLACE);
 * }</pre>
 *
 * @param count the number, at least 1
 * @param field the path of the field of the input; null to count all runs of the workflow together
 * @param onFull what a start does if that number is active
 */
public record MaxActive(int count, @Nullable String field, OnFull onFull) {

  /** What a start does if the maximum is reached. */
  public enum OnFull {
    /** The new run waits, in state QUEUED, and starts when another one has ended. */
    QUEUE,
    /** The active run, and those that are queued, are cancelled; then the new run starts. */
    REPLACE,
    /** No run is created; the start returns the active run. */
    SKIP
  }

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if the number or the path is not valid
   */
  public MaxActive {
    if (count < 1) {
      throw new IllegalArgumentException(
          "A maximum of %d active runs is not valid: give at least 1.".formatted(count));
    }
    if (field != null) {
      TriggerNames.field(field);
    }
  }

  /** Returns a maximum for all runs of the workflow together, whose surplus is queued. */
  public static MaxActive of(int count) {
    return new MaxActive(count, null, OnFull.QUEUE);
  }

  /**
   * Returns this maximum, counted for each value of a field of the input. Defaults to counting all
   * runs together.
   */
  public MaxActive per(String path) {
    return new MaxActive(count, path, onFull);
  }

  /** Returns this maximum with another reaction. Defaults to {@link OnFull#QUEUE}. */
  public MaxActive onFull(OnFull reaction) {
    return new MaxActive(count, field, reaction);
  }
}
