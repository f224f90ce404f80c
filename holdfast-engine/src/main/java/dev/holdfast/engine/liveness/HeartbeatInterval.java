package dev.holdfast.engine.liveness;

import java.time.Duration;

/**
 * How often the Heart sends a heartbeat: after half the interval under full load, when a false
 * alarm would cost most, and after up to twice the interval while the node holds nothing, but
 * always at least three times within the timeout.
 *
 * @param interval the usual time between heartbeats
 * @param longest the time between heartbeats while nothing is held
 * @param capacity how many jobs the node runs at the same time
 * @param kept how long heartbeats are kept for troubleshooting; zero for not at all
 */
public record HeartbeatInterval(Duration interval, Duration longest, int capacity, Duration kept) {

  /**
   * Returns the interval of a single node. No other node watches it, so it sends a heartbeat when
   * it is woken, to receive requests, and once a minute, to find claims whose reply was lost.
   */
  public static HeartbeatInterval alone(Duration kept) {
    return new HeartbeatInterval(
        Duration.ofMinutes(1), Duration.ofMinutes(1), Integer.MAX_VALUE, kept);
  }

  /** Returns the intervals of a node with this timeout. */
  public static HeartbeatInterval of(
      Duration interval, Duration timeout, int capacity, Duration kept) {
    Duration twice = interval.multipliedBy(2);
    Duration third = timeout.dividedBy(3);
    return new HeartbeatInterval(
        interval, third.compareTo(twice) < 0 ? third : twice, capacity, kept);
  }

  private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(30);

  /** Returns the time until the next heartbeat of a node that holds the given number of jobs. */
  Duration next(int held) {
    if (held == 0) {
      return longest;
    }
    return held * 4L >= capacity * 3L ? interval.dividedBy(2) : interval;
  }

  /**
   * Returns how long to wait for the reply to a heartbeat: after that, another heartbeat is worth
   * more.
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
