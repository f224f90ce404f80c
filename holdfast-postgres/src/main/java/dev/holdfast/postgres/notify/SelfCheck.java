package dev.holdfast.postgres.notify;

import java.time.Duration;

/**
 * Decides when to send a ping to this process and what a missing ping means. Times are readings of
 * a monotonic clock in nanoseconds. Not thread-safe.
 *
 * <p>A connection that receives nothing may be idle or dead: a lost network connection, or a pooler
 * that consumed the LISTEN, looks the same. A ping that could not be sent says nothing about the
 * listening connection: pings are sent through the pool, and an exhausted pool must not look like a
 * node that receives nothing.
 */
final class SelfCheck {

  /**
   * The timeouts.
   *
   * @param idle how long nothing is received before a ping is sent
   * @param reply how long a ping may take to come back
   * @param lifetime how long one connection is used
   */
  record Patience(Duration idle, Duration reply, Duration lifetime) {
    // In the meantime, polls find unannounced work within a minute.
    static final Patience DEFAULT =
        new Patience(Duration.ofMinutes(2), Duration.ofSeconds(5), Duration.ofMinutes(30));
  }

  /** What to do now. */
  enum Advice {
    WAIT,
    /** Send a ping through the pool and report whether it was sent. */
    PING,
    /** No ping could be sent: query the server on the listening connection. */
    ASK,
    GIVE_UP
  }

  private enum State {
    QUIET,
    /** A ping was requested; whether it could be sent is unknown. */
    SENDING,
    /** A ping was sent. */
    SENT,
    /** The ping could not be sent. */
    UNSENT
  }

  private final Patience patience;
  private State state = State.QUIET;
  private boolean proven;
  private boolean first = true;
  private long since;

  /** Starts with a ping, because a new connection has proved nothing yet. */
  SelfCheck(Patience patience, long now) {
    this.patience = patience;
    this.since = now;
  }

  /** Records that a ping came back or, after the first one, that anything was received. */
  void heard(long now) {
    proven = true;
    state = State.QUIET;
    since = now;
  }

  /** Returns whether a ping has come back. */
  boolean isProven() {
    return proven;
  }

  /** Records that the last ping was sent. */
  void sent(long now) {
    if (state == State.SENDING) {
      state = State.SENT;
      since = now;
    }
  }

  /** Records that the last ping could not be sent. */
  void unsent() {
    if (state == State.SENDING) {
      state = State.UNSENT;
    }
  }

  /** Records that the server replied on the listening connection. */
  void replied(long now) {
    state = State.QUIET;
    since = now;
  }

  /** Returns what to do. A ping that is advised counts as being sent. */
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

  /** Returns the interval between pings, which is shorter until the first one has come back. */
  private Duration idle() {
    return proven ? patience.idle() : patience.reply();
  }

  /** Returns how long there will be nothing to do. */
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
