package dev.holdfast.engine.time;

import java.time.Instant;

/** A monotonic clock. */
@FunctionalInterface
public interface Ticker {

  Moment now();

  /**
   * Returns the time of day, which may jump. It has one use: if it has moved much further than the
   * moments, the machine was suspended and the moments stood still.
   */
  default Instant timeOfDay() {
    return Instant.now();
  }

  /**
   * Returns the clock of the machine. {@code nanoTime} may start negative, so moments are counted
   * from this call.
   */
  static Ticker system() {
    long start = System.nanoTime();
    return () -> new Moment(System.nanoTime() - start);
  }
}
