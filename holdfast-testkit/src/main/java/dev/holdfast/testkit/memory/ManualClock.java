package dev.holdfast.testkit.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved. */
public final class ManualClock implements InstantSource {
  private volatile Instant now;

  public ManualClock(Instant start) {
    this.now = start;
  }

  @Override
  public Instant instant() {
    return now;
  }

  /** Let so much time pass. */
  public synchronized void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "Time cannot pass by %s: give zero or a positive duration.".formatted(time));
    }
    now = now.plus(time);
  }
}
