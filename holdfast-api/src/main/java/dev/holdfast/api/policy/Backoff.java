package dev.holdfast.api.policy;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/** How long to wait before the next attempt. */
public sealed interface Backoff {

  /** The wait after the given failed attempt, before jitter. */
  Duration after(int failedAttempt);

  /** The same wait every time. */
  static Backoff fixed(Duration delay) {
    return new Fixed(delay);
  }

  /** One step more after each failure, up to a cap. */
  static Backoff linear(Duration step, Duration cap) {
    return new Linear(step, cap);
  }

  /** Multiplied after each failure, up to a cap. */
  static Backoff exponential(Duration first, double factor, Duration cap) {
    return new Exponential(first, factor, cap);
  }

  record Fixed(Duration delay) implements Backoff {
    public Fixed {
      delay = checked(delay);
    }

    @Override
    public Duration after(int failedAttempt) {
      return delay;
    }
  }

  record Linear(Duration step, Duration cap) implements Backoff {
    public Linear {
      step = checked(step);
      cap = checked(cap);
    }

    @Override
    public Duration after(int failedAttempt) {
      return capped((double) step.toMillis() * failedAttempt, cap);
    }
  }

  record Exponential(Duration first, double factor, Duration cap) implements Backoff {
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
