package dev.holdfast.postgres.claim;

import java.time.Duration;

/**
 * When the claims of one lane look for jobs with a crash on their record, which takes a statement
 * of its own: whenever there is nothing else, so that it delays nobody; and now and then while
 * there is, so that they get a turn.
 */
final class SuspectBackoff {
  private static final long UNDER_BACKLOG = Duration.ofMillis(100).toNanos();
  private static final long IN_A_TRICKLE = Duration.ofSeconds(1).toNanos();

  private enum Found {
    NOTHING,
    SOME,
    ENOUGH
  }

  private Found found = Found.NOTHING;
  private long lookedAt;

  /**
   * Whether to look before anything else is claimed.
   *
   * @param nanos the monotonic clock
   */
  synchronized boolean isDue(long nanos) {
    return switch (found) {
      case NOTHING -> false;
      case SOME -> nanos - lookedAt >= IN_A_TRICKLE;
      case ENOUGH -> nanos - lookedAt >= UNDER_BACKLOG;
    };
  }

  synchronized void looked(long nanos) {
    lookedAt = nanos;
  }

  /** Learn how many others a claim found, of so many that it wanted. */
  synchronized void found(int others, int wanted) {
    found = others == 0 ? Found.NOTHING : others < wanted ? Found.SOME : Found.ENOUGH;
  }
}
