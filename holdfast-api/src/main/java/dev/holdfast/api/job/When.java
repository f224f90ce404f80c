package dev.holdfast.api.job;

import java.time.Duration;
import java.time.Instant;

/**
 * When a job becomes due.
 *
 * <p>Delays stay durations until the database adds them to its own clock, so that the clock of the
 * program that asks does not matter.
 */
public sealed interface When {

  /** At once. */
  record Now() implements When {}

  /** After a delay, counted by the database from the moment of the enqueue. */
  record After(Duration delay) implements When {
    public After {
      if (delay.isNegative()) {
        throw new IllegalArgumentException(
            "A delay of %s is not valid: give zero or a positive duration.".formatted(delay));
      }
    }
  }

  /** At a point in time; one that has passed means at once. */
  record At(Instant time) implements When {}

  /** At once. */
  When NOW = new Now();
}
