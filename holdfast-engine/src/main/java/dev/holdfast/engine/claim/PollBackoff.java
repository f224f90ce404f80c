package dev.holdfast.engine.claim;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.notify.SignalBus;
import java.time.Duration;

/**
 * How long to wait before looking for work again when nobody calls: half a second at first, backing
 * off while nothing is found, to a minute in deep idle.
 *
 * @param burst the shortest wait
 * @param deepIdle the longest wait
 * @param unheard the longest wait while other processes cannot be heard, where nothing but a poll
 *     finds the work they enqueue; never shorter than a burst
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
          "Polling every %s to %s is not valid: give a burst of a millisecond or more and a deep idle at least as long."
              .formatted(burst, deepIdle));
    }
    if (unheard.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException(
          "Polling every %s while other nodes are not heard is not valid: give a millisecond or more, such as 1 s."
              .formatted(unheard));
    }
    burst = Times.bounded(burst);
    deepIdle = Times.bounded(deepIdle);
    unheard = Times.bounded(unheard);
  }

  /** The pace while other processes cannot be heard. */
  public PollBackoff whileUnheard() {
    Duration longest = unheard.compareTo(deepIdle) < 0 ? unheard : deepIdle;
    return new PollBackoff(burst, longest.compareTo(burst) < 0 ? burst : longest, unheard);
  }

  /** Whether the wait after this many looks in vain is the longest. */
  boolean isDeepIdle(int looksInVain) {
    return millis(looksInVain) >= deepIdle.toMillis();
  }

  /**
   * The wait after so many looks in vain.
   *
   * @param chance a number from 0 to 1, so that the nodes of a cluster do not poll in step
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
