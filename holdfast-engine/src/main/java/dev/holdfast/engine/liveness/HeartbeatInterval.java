package dev.holdfast.engine.liveness;

import java.time.Duration;

/**
 * How often the Heart beats: half the interval under full load, when a false alarm would cost most,
 * and up to twice the interval with nothing to lose, though never less than three times within the
 * terms.
 *
 * @param interval the usual time between beats
 * @param longest the time between beats while nothing is held
 * @param capacity how many jobs the node runs at once
 * @param kept whether beats are kept for people to look at
 */
public record HeartbeatInterval(Duration interval, Duration longest, int capacity, boolean kept) {

  /**
   * That of a node that is the only one: nobody watches it, so it beats when it is woken, to learn
   * what somebody wants of it, and now and then, to find claims whose answer was lost.
   */
  public static final HeartbeatInterval ALONE =
      new HeartbeatInterval(Duration.ofMinutes(1), Duration.ofMinutes(1), Integer.MAX_VALUE, false);

  /** The pace of a node with these terms. */
  public static HeartbeatInterval of(
      Duration interval, Duration terms, int capacity, boolean kept) {
    Duration twice = interval.multipliedBy(2);
    Duration third = terms.dividedBy(3);
    return new HeartbeatInterval(
        interval, third.compareTo(twice) < 0 ? third : twice, capacity, kept);
  }

  private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(30);

  /** The time until the next beat of a node that holds so many jobs. */
  Duration next(int held) {
    if (held == 0) {
      return longest;
    }
    return held * 4L >= capacity * 3L ? interval.dividedBy(2) : interval;
  }

  /**
   * How long to wait for the answer to a beat: one that takes longer is worth less than another.
   */
  Duration patience() {
    return interval.compareTo(LONGEST_PATIENCE) > 0
        ? LONGEST_PATIENCE
        : interval.multipliedBy(4).dividedBy(5);
  }

  Duration afterFailure() {
    return patience().dividedBy(3);
  }
}
