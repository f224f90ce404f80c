package dev.holdfast.api.job;

import dev.holdfast.api.internal.Times;
import java.time.Duration;
import java.time.Instant;

/**
 * When a job becomes due.
 *
 * <p>The database adds a delay to its own clock, so that the clock of the client does not matter.
 */
public sealed interface When {

  /** Immediately. */
  record Now() implements When {}

  /**
   * After a delay, counted by the database from the enqueue.
   *
   * @param delay the delay, zero or positive
   */
  record After(Duration delay) implements When {
    /**
     * Checks the delay.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public After {
      delay = Times.notNegative("A delay", delay);
    }
  }

  /**
   * At a point in time; a time in the past means immediately.
   *
   * @param time from the year 1 to the year 9999
   */
  record At(Instant time) implements When {
    /**
     * Checks the time.
     *
     * @throws IllegalArgumentException if it cannot be stored
     */
    public At {
      if (!Times.isStorable(time)) {
        throw new IllegalArgumentException(
            "A job cannot become due at %s: give a time from %s to %s, or none to run it immediately."
                .formatted(time, Times.EARLIEST, Times.LATEST));
      }
    }
  }

  /** Immediately. */
  When NOW = new Now();
}
