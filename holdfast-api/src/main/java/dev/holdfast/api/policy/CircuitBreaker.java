package dev.holdfast.api.policy;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/**
 * Stops a task for a while if it fails too often, on the assumption that a system it depends on is
 * down.
 *
 * <p>When the given number of attempts has failed within the window, counted over the whole
 * cluster, the breaker opens and no more jobs of the task are started. After the pause, one trial
 * job is started: if it succeeds the breaker closes, if it fails the breaker stays open for another
 * pause. Waiting jobs stay READY without using an attempt.
 *
 * <pre>{@code
 * CircuitBreaker breaker =
 *     CircuitBreaker.after(5).within(Duration.ofMinutes(1)).openFor(Duration.ofSeconds(30));
 * }</pre>
 *
 * @param failures how many failed attempts open the breaker, 1 to 1000
 * @param window the time within which failures are counted
 * @param pause how long the breaker stays open before a trial job is started
 */
public record CircuitBreaker(int failures, Duration window, Duration pause) {
  private static final int MOST = 1_000;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if a value is not valid
   */
  public CircuitBreaker {
    if (failures < 1 || failures > MOST) {
      throw new IllegalArgumentException(
          "A circuit breaker cannot open after %d failures: give 1 to %d."
              .formatted(failures, MOST));
    }
    window = Times.positive("A circuit breaker window", window);
    pause = Times.positive("A circuit breaker pause", pause);
  }

  /**
   * Returns a circuit breaker that opens after the given number of failed attempts within one
   * minute, for 30 seconds. A low number stops a failing task early, but may also stop it for a few
   * unrelated failures.
   */
  public static CircuitBreaker after(int failures) {
    return new CircuitBreaker(failures, Duration.ofMinutes(1), Duration.ofSeconds(30));
  }

  /**
   * Returns this circuit breaker with another window, within which failures are counted. A longer
   * window also detects tasks that fail rarely but steadily. Defaults to 1 minute.
   */
  public CircuitBreaker within(Duration time) {
    return new CircuitBreaker(failures, time, pause);
  }

  /**
   * Returns this circuit breaker with another pause, after which a trial job is started. A shorter
   * pause detects a recovery sooner, at the price of more failed attempts. Defaults to 30 seconds.
   */
  public CircuitBreaker openFor(Duration time) {
    return new CircuitBreaker(failures, window, time);
  }
}
