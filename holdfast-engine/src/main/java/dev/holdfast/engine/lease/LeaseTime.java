package dev.holdfast.engine.lease;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The time of a lease as its holder counts it: until when the holder may rely on it, and when to
 * renew it. It is never later than the time in the store, whatever happens to requests on their
 * way. Guarded by the lock of its lease.
 *
 * <p>An <em>extension</em> never shortens the time in the store, so one that is executed late does
 * no harm. A <em>reset</em> sets a new TTL and may shorten the time. So the holder relies on a
 * shorter time from before the reset is sent; and if the reset is never confirmed, it relies on no
 * more than the TTL of that reset for as long as it holds the lease, since the reset may still be
 * on its way.
 */
final class LeaseTime {

  /**
   * A renewal on its way.
   *
   * @param at a moment before it was sent
   * @param ttl the TTL that the store is asked for
   * @param sure what the holder may rely on from that moment if it is confirmed
   * @param reset whether it may shorten the time
   * @param resets how many resets were sent up to then
   */
  record Sent(Moment at, Duration ttl, Duration sure, boolean reset, int resets) {}

  private final List<Sent> unconfirmed = new ArrayList<>();
  private Duration ttl;
  private Moment deadline;
  private Moment renewal;
  private int resets;

  /**
   * Starts with an acquired lease.
   *
   * @param sentAt a moment before it was requested
   */
  LeaseTime(Moment sentAt, Duration ttl) {
    this.ttl = ttl;
    this.deadline = LeaseTimes.deadline(sentAt, ttl);
    this.renewal = LeaseTimes.renewal(sentAt, ttl);
  }

  Duration ttl() {
    return ttl;
  }

  /** Returns the last moment at which the holder may rely on the lease. */
  Moment deadline() {
    return deadline;
  }

  /** Returns when to renew the lease. */
  Moment renewal() {
    return renewal;
  }

  /** Returns a renewal for the current TTL, to be sent now. */
  Sent extend(Moment now) {
    return new Sent(now, ttl, sure(), false, resets);
  }

  /** Returns a renewal for a new TTL, to be sent now. Later renewals use the new TTL, too. */
  Sent reset(Moment now, Duration changed) {
    ttl = changed;
    Sent sent = new Sent(now, ttl, sure(), true, ++resets);
    unconfirmed.add(sent);
    deadline = deadline.earlier(LeaseTimes.deadline(now, ttl));
    renewal = renewal.earlier(LeaseTimes.renewal(now, ttl));
    return sent;
  }

  private Duration sure() {
    return unconfirmed.stream().map(Sent::ttl).reduce(ttl, LeaseTimes::shorter);
  }

  /**
   * Records that a renewal succeeded. It has no effect if the reply arrived after the deadline, or
   * if a reset was sent after this renewal and may have been executed after it.
   */
  void confirmed(Sent sent, Moment now) {
    unconfirmed.remove(sent);
    if (sent.resets != resets || !now.isBefore(deadline)) {
      return;
    }
    Moment extended = LeaseTimes.deadline(sent.at, sent.sure);
    if (deadline.isBefore(extended)) {
      deadline = extended;
      renewal = LeaseTimes.renewal(sent.at, sent.sure);
    }
  }

  /**
   * Records that a renewal failed.
   *
   * @param mayBeExecuted whether the store may execute it nevertheless, now or later
   */
  void failed(Sent sent, boolean mayBeExecuted) {
    if (!mayBeExecuted) {
      unconfirmed.remove(sent);
    }
    renewal = LeaseTimes.retry(sent.at, sent.sure);
  }
}
