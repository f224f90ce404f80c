package dev.holdfast.postgres.notify;

import java.time.Duration;

/**
 * Decides when to ping oneself, and what it means that a ping does not come back. Times are
 * readings of a monotonic clock in nanoseconds. Not for use by several threads at once.
 *
 * <p>A connection that hears nothing may be idle or dead: a network that lost it, or a pooler that
 * took LISTEN for itself, says nothing either. A ping that could not be sent says nothing about the
 * connection that listens: pings are sent through the pool, and a pool that is used up must not
 * look like a node that hears nobody.
 */
final class SelfCheck {

  /**
   * How patient to be.
   *
   * @param idle how long to hear nothing before a ping
   * @param reply how long a ping may take to come back
   * @param lifetime how long one connection is listened on
   */
  record Patience(Duration idle, Duration reply, Duration lifetime) {
    // Meanwhile polls find what was not heard of, within a minute.
    static final Patience DEFAULT =
        new Patience(Duration.ofMinutes(2), Duration.ofSeconds(5), Duration.ofMinutes(30));
  }

  /** What to do now. */
  enum Advice {
    WAIT,
    /** Send a ping through the pool, and say what became of it. */
    PING,
    /** No ping could be sent: ask the server on the connection that listens. */
    ASK,
    GIVE_UP
  }

  private enum State {
    QUIET,
    /** A ping was advised; whether it could be sent is not known. */
    SENDING,
    /** A ping is on its way. */
    SENT,
    /** The ping could not be sent. */
    UNSENT
  }

  private final Patience patience;
  private State state = State.QUIET;
  private boolean proven;
  private boolean first = true;
  private long since;

  /** Begin with a ping, since a connection that was just made has proved nothing. */
  SelfCheck(Patience patience, long now) {
    this.patience = patience;
    this.since = now;
  }

  /** A ping has come back; or, once one has, anything was heard. */
  void heard(long now) {
    proven = true;
    state = State.QUIET;
    since = now;
  }

  /** Whether a ping has come back. */
  boolean isProven() {
    return proven;
  }

  /** The last ping was sent. */
  void sent(long now) {
    if (state == State.SENDING) {
      state = State.SENT;
      since = now;
    }
  }

  /** The last ping could not be sent. */
  void unsent() {
    if (state == State.SENDING) {
      state = State.UNSENT;
    }
  }

  /** The server replied on the connection that listens. */
  void replied(long now) {
    state = State.QUIET;
    since = now;
  }

  /** Say what to do; a ping that is advised counts as under way. */
  Advice advise(long now) {
    long waited = now - since;
    return switch (state) {
      case QUIET -> {
        if (!first && waited < idle().toNanos()) {
          yield Advice.WAIT;
        }
        first = false;
        state = State.SENDING;
        since = now;
        yield Advice.PING;
      }
      case SENDING -> waited < patience.reply().toNanos() ? Advice.WAIT : Advice.ASK;
      case SENT -> waited < patience.reply().toNanos() ? Advice.WAIT : Advice.GIVE_UP;
      case UNSENT -> Advice.ASK;
    };
  }

  /** While it is open whether anything is heard, pings are tried more often. */
  private Duration idle() {
    return proven ? patience.idle() : patience.reply();
  }

  /** How long nothing will have to be done. */
  Duration quiet(long now) {
    long limit =
        switch (state) {
          case QUIET -> first ? 0 : idle().toNanos();
          case SENDING, SENT -> patience.reply().toNanos();
          case UNSENT -> 0;
        };
    return Duration.ofNanos(Math.max(0, limit - (now - since)));
  }
}
