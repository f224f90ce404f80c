package dev.holdfast.api.run;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/**
 * Thrown by a handler that cannot do its work yet: the job becomes due again after a delay, without
 * using an attempt.
 */
public final class RetryLater extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Duration delay;

  /**
   * Creates the exception.
   *
   * @param delay when to run the job again, zero or positive
   * @param why the message
   */
  public RetryLater(Duration delay, String why) {
    super(why, null, false, false);
    this.delay = Times.notNegative("A delay", delay);
  }

  /** Returns the delay after which the job becomes due again. */
  public Duration delay() {
    return delay;
  }
}
