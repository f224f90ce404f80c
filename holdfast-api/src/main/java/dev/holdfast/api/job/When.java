package dev.holdfast.api.job;

import dev.holdfast.api.internal.Times;
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
      delay = Times.notNegative("A delay", delay);
    }
  }

  /** At a point in time; one that has passed means at once. */
  record At(Instant time) implements When {
    public At {
      if (!Times.isStorable(time)) {
        throw new IllegalArgumentException(
            "A job cannot become due at %s: give a time from %s to %s, or none for at once."
                .formatted(time, Times.EARLIEST, Times.LATEST));
      }
    }
  }

  /** At once. */
  When NOW = new Now();
}
