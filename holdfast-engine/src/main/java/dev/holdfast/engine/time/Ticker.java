package dev.holdfast.engine.time;

import java.time.Instant;

/** A clock that tells moments. */
@FunctionalInterface
public interface Ticker {

  Moment now();

  /**
   * The time of day, which may jump. Good for one thing only: where it has moved much further than
   * the moments, the machine was asleep and the moments stood still.
   */
  default Instant timeOfDay() {
    return Instant.now();
  }

  /** The clock of the machine. {@code nanoTime} may start negative, so count from here. */
  static Ticker system() {
    long start = System.nanoTime();
    return () -> new Moment(System.nanoTime() - start);
  }
}
