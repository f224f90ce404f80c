package dev.holdfast.server.stream;

import java.time.Duration;

/**
 * Decides when to read something again that changes. It is read immediately after a change, and
 * once more a little later, because nodes announce at most ten changes a second. While changes
 * continue, it is read once a second, or less often if there are many clients, and reading takes at
 * most a twentieth of the time. Not thread-safe.
 */
final class Pace {
  static final Duration SHORTEST = Duration.ofMillis(50);
  static final Duration ECHO = Duration.ofMillis(150);

  /** How many looks may follow each other closely after a calm time. */
  static final int BURST = 10;

  private static final int SHORTEST_BURST = 2;
  private static final long REFILL = Duration.ofSeconds(1).toNanos();

  /** How many events a second are sent to all clients together while changes go on. */
  private static final int SENT_PER_SECOND = 250;

  private static final int SHARE = 20;

  private final Duration idle;
  private int burst = BURST;
  private long refill = REFILL;
  private boolean looked;
  private boolean fresh;
  private boolean echo;
  private long changedAt;
  private long lookedAt;
  private long notBefore;

  /** When the looks of a burst would be available again, had none been made since. */
  private long fullAt;

  /**
   * @param idle when to look although nothing is known to have changed, in case a signal was lost
   */
  Pace(Duration idle) {
    this.idle = idle;
  }

  /** Sets how many clients get what is seen. */
  void clients(int count) {
    burst = Math.clamp(SENT_PER_SECOND / Math.max(1, count), SHORTEST_BURST, BURST);
    refill = Math.max(REFILL, REFILL / SENT_PER_SECOND * count);
  }

  /** Notes a change. */
  void changed(long now) {
    fresh = true;
    changedAt = now;
  }

  /** Returns how long to wait with the next look; zero or less if it is due. */
  Duration untilDue(long now) {
    if (!looked) {
      return Duration.ZERO;
    }
    long due = lookedAt + (fresh ? SHORTEST : echo ? ECHO : idle).toNanos();
    long affordable = fullAt - (burst - 1) * refill;
    return Duration.ofNanos(Math.max(Math.max(due - now, affordable - now), notBefore - now));
  }

  /** Notes that a look starts. */
  void looks(long now) {
    fullAt = (looked && fullAt - now > 0 ? fullAt : now) + refill;
    echo = fresh && now - changedAt < ECHO.toNanos();
    fresh = false;
    looked = true;
    lookedAt = now;
    notBefore = now;
  }

  /** Notes that the look has ended. */
  void lookedUntil(long now) {
    notBefore = now + (now - lookedAt) * SHARE;
  }
}
