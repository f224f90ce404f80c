package dev.holdfast.api.policy;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/**
 * When to leave a task alone for a while, because what it depends on seems to be down.
 *
 * <p>After so many failed attempts within the window, counted over the whole cluster, no job of the
 * task is begun any more. When the pause is over, one job is let through: if it succeeds the
 * breaker closes, if it fails the pause begins anew. Jobs that wait stay READY and spend nothing.
 *
 * <pre>{@code
 * CircuitBreaker.after(5).within(Duration.ofMinutes(1)).openFor(Duration.ofSeconds(30))
 * }</pre>
 *
 * @param failures how many failed attempts open it
 * @param window within which time
 * @param pause how long it stays open before one job is let through
 */
public record CircuitBreaker(int failures, Duration window, Duration pause) {
  private static final int MOST = 1_000;

  public CircuitBreaker {
    if (failures < 1 || failures > MOST) {
      throw new IllegalArgumentException(
          "A breaker that opens after %d failures is not valid: give 1 to %d."
              .formatted(failures, MOST));
    }
    window = Times.positive("A breaker's window", window);
    pause = Times.positive("A breaker's open time", pause);
  }

  /** Open after so many failures, within a minute and for 30 seconds unless told otherwise. */
  public static CircuitBreaker after(int failures) {
    return new CircuitBreaker(failures, Duration.ofMinutes(1), Duration.ofSeconds(30));
  }

  /** Count failures of so long; defaults to a minute. */
  public CircuitBreaker within(Duration time) {
    return new CircuitBreaker(failures, time, pause);
  }

  /** Stay open for so long before one job is let through; defaults to 30 s. */
  public CircuitBreaker openFor(Duration time) {
    return new CircuitBreaker(failures, window, time);
  }
}
