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
   * Returns whether this role may share its thread with others. For roles of which a node may have
   * thousands, and for roles that rarely have anything to do.
   */
  default boolean sharesThread() {
    return false;
  }
}
