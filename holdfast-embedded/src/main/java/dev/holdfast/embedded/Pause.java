package dev.holdfast.embedded;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The wait between two looks at something that another process does. */
final class Pause {

  private static final Duration BRIEF = Duration.ofMillis(20);

  private Pause() {}

  static void briefly() {
    try {
      Thread.sleep(BRIEF);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedPostgresException("Interrupted while waiting for PostgreSQL.", e);
    }
  }

  /**
   * Looks until the condition holds, at most for {@code limit}, and answers whether it does. For
   * endings: an interrupted thread must be able to see one through.
   */
  static boolean until(BooleanSupplier condition, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0) {
      try {
        Thread.sleep(BRIEF);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return condition.getAsBoolean();
  }
}
