package dev.holdfast.engine.lease;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;

/** When a lease is renewed and when it is over, as functions of when the last request was sent. */
final class LeaseTimes {
  private static final Duration LARGEST_MARGIN = Duration.ofSeconds(10);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

  private LeaseTimes() {}

  /**
   * Returns the last moment at which the holder may rely on the lease, with time to stop before
   * another holder can start.
   */
  static Moment deadline(Moment sentAt, Duration ttl) {
    return sentAt.plus(ttl.minus(shorter(ttl.dividedBy(10), LARGEST_MARGIN)));
  }

  /** Returns when to renew: early enough for two more tries. */
  static Moment renewal(Moment sentAt, Duration ttl) {
    return sentAt.plus(ttl.dividedBy(3));
  }

  /** Returns when to retry after a renewal that could not be requested. */
  static Moment retry(Moment sentAt, Duration ttl) {
    return sentAt.plus(shorter(ttl.dividedBy(20), LONGEST_RETRY));
  }

  static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
