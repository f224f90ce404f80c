package dev.holdfast.embedded;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for another process by polling. An interrupt is restored afterwards and does not end the
 * wait: an interrupted thread must still be able to stop its server.
 */
final class Pause {

  private static final Duration BRIEF = Duration.ofMillis(20);

  private Pause() {}

  /** Polls until the condition holds, at most for {@code limit}, and returns whether it does. */
  static boolean until(BooleanSupplier condition, Duration limit) {
    return untilPresent(
            () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty(), limit)
        .isPresent();
  }

  /** Polls until a value is present, at most for {@code limit}. */
  static <T> Optional<T> untilPresent(Supplier<Optional<T>> look, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        Optional<T> seen = look.get();
        if (seen.isPresent() || System.nanoTime() - deadline > 0) {
          return seen;
        }
        try {
          Thread.sleep(BRIEF);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
