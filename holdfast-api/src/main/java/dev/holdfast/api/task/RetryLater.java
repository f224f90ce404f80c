package dev.holdfast.api.task;

import dev.holdfast.api.internal.Times;
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
    this.delay = Times.notNegative("A delay", delay);
  }

  public Duration delay() {
    return delay;
  }
}
