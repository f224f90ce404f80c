package dev.holdfast.api.task;

import java.time.Duration;

/**
 * Thrown by a handler that cannot do its work yet: the job becomes due again after the delay, and
 * no attempt is spent.
 */
public final class RetryLater extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Duration delay;

  public RetryLater(Duration delay, String why) {
    super(why, null, false, false);
    if (delay.isNegative()) {
      throw new IllegalArgumentException(
          "A retry cannot come %s from now: give zero or a positive duration.".formatted(delay));
    }
    this.delay = delay;
  }

  public Duration delay() {
    return delay;
  }
}
