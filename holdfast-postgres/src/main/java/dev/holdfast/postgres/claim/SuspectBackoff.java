package dev.holdfast.postgres.claim;

import java.time.Duration;

/**
 * Decides when the claims of one lane look for crash suspects, which takes a separate statement:
 * whenever there is no other job, so that it delays nothing, and from time to time while there are
 * other jobs, so that crash suspects are not starved.
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
   * Returns whether to look for crash suspects before any other job is claimed.
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

  /** Records how many other jobs a claim found and how many it wanted. */
  synchronized void found(int others, int wanted) {
    found = others == 0 ? Found.NOTHING : others < wanted ? Found.SOME : Found.ENOUGH;
  }
}
