package dev.holdfast.postgres.wake;

import java.time.Duration;

/**
 * Decides when to ping oneself, and when a ping has failed. Times are readings of a monotonic clock
 * in nanoseconds. Not for use by several threads at once.
 *
 * <p>A connection that hears nothing may be idle or dead: a network that lost it, or a pooler that
 * took LISTEN for itself, says nothing either.
 */
final class SelfCheck {

  /**
   * How patient to be.
   *
   * @param idle how long to hear nothing before a ping
   * @param answer how long a ping may take to come back
   */
  record Patience(Duration idle, Duration answer) {
    // Meanwhile polls find what was not heard of, within a minute.
    static final Patience DEFAULT = new Patience(Duration.ofMinutes(2), Duration.ofSeconds(5));
  }

  /** What to do now. */
  enum Advice {
    WAIT,
    PING,
    GIVE_UP
  }

  private final Patience patience;
  private boolean awaiting = true;
  private boolean sent;
  private long since;

  /** Begin with a ping, since a connection that was just made has proved nothing. */
  SelfCheck(Patience patience, long now) {
    this.patience = patience;
    this.since = now;
  }

  /** Something was heard, so the connection works. */
  void heard(long now) {
    awaiting = false;
    sent = false;
    since = now;
  }

  /** Say what to do; a ping that is advised counts as sent. */
  Advice advise(long now) {
    if (!awaiting && now - since >= patience.idle().toNanos()) {
      awaiting = true;
    }
    if (awaiting && !sent) {
      sent = true;
      since = now;
      return Advice.PING;
    }
    return awaiting && now - since >= patience.answer().toNanos() ? Advice.GIVE_UP : Advice.WAIT;
  }

  /** How long nothing will have to be done. */
  Duration quiet(long now) {
    long limit = (awaiting ? patience.answer() : patience.idle()).toNanos();
    return Duration.ofNanos(Math.max(0, limit - (now - since)));
  }
}
