package dev.holdfast.api.policy;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/** Computes how long to wait before the next attempt. */
public sealed interface Backoff {

  /**
   * Returns the wait after a failed attempt, before jitter.
   *
   * @param failedAttempt the number of the attempt, from 1
   */
  Duration after(int failedAttempt);

  /** Returns a backoff that waits for the same time after each failure. */
  static Backoff fixed(Duration delay) {
    return new Fixed(delay);
  }

  /**
   * Returns a backoff that waits for {@code step} after the first failure, and for one {@code step}
   * more after each further one.
   *
   * @param cap the longest wait
   */
  static Backoff linear(Duration step, Duration cap) {
    return new Linear(step, cap);
  }

  /**
   * Returns a backoff that waits for {@code first} after the first failure, and multiplies the wait
   * after each further one.
   *
   * @param factor the multiplier, 1 to 100
   * @param cap the longest wait
   */
  static Backoff exponential(Duration first, double factor, Duration cap) {
    return new Exponential(first, factor, cap);
  }

  /**
   * The same wait after each failure.
   *
   * @param delay the wait, zero or positive
   */
  record Fixed(Duration delay) implements Backoff {
    /** Checks the delay. */
    public Fixed {
      delay = checked(delay);
    }

    @Override
    public Duration after(int failedAttempt) {
      return delay;
    }
  }

  /**
   * A wait that grows by a step with each failure.
   *
   * @param step the first wait, and the difference between two waits
   * @param cap the longest wait
   */
  record Linear(Duration step, Duration cap) implements Backoff {
    /** Checks the durations. */
    public Linear {
      step = checked(step);
      cap = checked(cap);
    }

    @Override
    public Duration after(int failedAttempt) {
      return capped((double) step.toMillis() * failedAttempt, cap);
    }
  }

  /**
   * A wait that is multiplied with each failure.
   *
   * @param first the first wait
   * @param factor the multiplier, 1 to 100
   * @param cap the longest wait
   */
  record Exponential(Duration first, double factor, Duration cap) implements Backoff {
    /** Checks the durations and the factor. */
    public Exponential {
      first = checked(first);
      cap = checked(cap);
      if (!(factor >= 1 && factor <= 100)) {
        throw new IllegalArgumentException(
            "A backoff factor of %s is not valid: give 1 to 100.".formatted(factor));
      }
    }

    @Override
    public Duration after(int failedAttempt) {
      return capped(first.toMillis() * Math.pow(factor, failedAttempt - 1.0), cap);
    }
  }

  private static Duration capped(double millis, Duration cap) {
    return millis >= cap.toMillis() ? cap : Duration.ofMillis((long) millis);
  }

  private static Duration checked(Duration duration) {
    return Times.notNegative("A backoff", duration);
  }
}
