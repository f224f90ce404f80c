package dev.holdfast.postgres.claim;

import java.time.Duration;

/**
 * Decides when the claims of one lane look for crash suspects, which takes a separate statement:
 * whenever there is no other job, so that it delays nothing, and from time to time while there are
 * other jobs, so that crash suspects are not starved: less and less often while there are none.
 */
final class SuspectBackoff {
  private static final long UNDER_BACKLOG = Duration.ofMillis(100).toNanos();
  private static final long IN_A_TRICKLE = Duration.ofSeconds(1).toNanos();

  private enum Found {
    NOTHING,
    SOME,
    ENOUGH
  }

  /** How often the time between two looks is doubled: a look costs as much as a small claim. */
  private static final int MOST_DOUBLINGS = 5;

  private Found found = Found.NOTHING;
  private long lookedAt;
  private int looksInVain;

  /**
   * @param nanos the monotonic clock
   */
  SuspectBackoff(long nanos) {
    this.lookedAt = nanos;
  }

  /**
   * Returns whether to look for crash suspects before any other job is claimed.
   *
   * @param nanos the monotonic clock
   */
  synchronized boolean isDue(long nanos) {
    return switch (found) {
      case NOTHING -> false;
      case SOME -> nanos - lookedAt >= Math.max(IN_A_TRICKLE, UNDER_BACKLOG << looksInVain);
      case ENOUGH -> nanos - lookedAt >= UNDER_BACKLOG << looksInVain;
    };
  }

  /** Records that it has looked, and how many crash suspects it found. */
  synchronized void looked(long nanos, int suspects) {
    lookedAt = nanos;
    looksInVain = suspects > 0 ? 0 : Math.min(MOST_DOUBLINGS, looksInVain + 1);
  }

  /** Records how many other jobs a claim found and how many it wanted. */
  synchronized void found(int others, int wanted) {
    found = others == 0 ? Found.NOTHING : others < wanted ? Found.SOME : Found.ENOUGH;
  }
}
