package dev.holdfast.testkit.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until a test advances it. */
public final class ManualClock implements InstantSource {
  private volatile Instant now;

  /** Creates a clock that shows the given time. */
  public ManualClock(Instant start) {
    this.now = start;
  }

  /** Returns the current time of this clock. */
  @Override
  public Instant instant() {
    return now;
  }

  /** Advances the clock. */
  public synchronized void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "The clock cannot advance by %s: give zero or a positive duration.".formatted(time));
    }
    now = now.plus(time);
  }
}
