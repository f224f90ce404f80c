package dev.holdfast.engine.role;

import dev.holdfast.engine.time.Moment;

/** One activity of a node: claiming, finishing, sending heartbeats ... */
public interface Role {

  /** Returns its name in logs and thread names. */
  String name();

  /**
   * Does one bounded piece of work.
   *
   * @return when to call again at the latest; earlier if {@link Waker#wake} is called
   */
  Moment tick(Moment now);

  /**
   * Receives what ticks this role early, before its first tick. For roles that learn by themselves
   * that there is something to do.
   */
  default void wokenBy(Waker waker) {}
}
