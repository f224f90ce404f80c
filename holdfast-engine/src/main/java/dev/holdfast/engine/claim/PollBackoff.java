package dev.holdfast.engine.claim;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.notify.SignalBus;
import java.time.Duration;

/**
 * How long to wait before polling for work again when no notification arrives: half a second at
 * first, backing off while nothing is found, to a minute in deep idle.
 *
 * @param burst the shortest wait; defaults to 500 ms
 * @param deepIdle the longest wait; defaults to 60 s
 * @param unheard the longest wait while the node cannot receive notifications from other processes,
 *     where only a poll finds the work they enqueue; never shorter than a burst; defaults to 1 s
 */
public record PollBackoff(Duration burst, Duration deepIdle, Duration unheard) {
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final double GROWTH = 3;
  private static final double JITTER = 0.2;

  public static final PollBackoff DEFAULT =
      new PollBackoff(Duration.ofMillis(500), Duration.ofSeconds(60), SignalBus.UNHEARD);

  public PollBackoff {
    if (burst.compareTo(SHORTEST) < 0 || deepIdle.compareTo(burst) < 0) {
      throw new IllegalArgumentException(
          "Polling every %s to %s is not valid: use a burst of at least 1 ms and a deep idle interval that is not shorter."
              .formatted(Times.describe(burst), Times.describe(deepIdle)));
    }
    if (unheard.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException(
          "Polling every %s while no notifications arrive is not valid: use at least 1 ms, such as 1 s."
              .formatted(Times.describe(unheard)));
    }
    burst = Times.bounded(burst);
    deepIdle = Times.bounded(deepIdle);
    unheard = Times.bounded(unheard);
  }

  /** Returns the waits to use while no notifications can be received. */
  public PollBackoff whileUnheard() {
    Duration longest = unheard.compareTo(deepIdle) < 0 ? unheard : deepIdle;
    return new PollBackoff(burst, longest.compareTo(burst) < 0 ? burst : longest, unheard);
  }

  /** Returns whether the wait after this number of polls that found nothing is the longest. */
  boolean isDeepIdle(int looksInVain) {
    return millis(looksInVain) >= deepIdle.toMillis();
  }

  /**
   * Returns the wait after the given number of polls that found nothing.
   *
   * @param chance a random number from 0 to 1, so that the nodes of a cluster do not poll in step
   */
  public Duration after(int looksInVain, double chance) {
    return Duration.ofMillis(Math.round(millis(looksInVain) * (1 - JITTER * chance)));
  }

  private double millis(int looksInVain) {
    return Math.min(
        burst.toMillis() * Math.pow(GROWTH, Math.min(looksInVain, 32)),
        (double) deepIdle.toMillis());
  }
}
