package dev.holdfast.engine.role;

import dev.holdfast.engine.time.Moment;

/** One job of a node: claiming, finishing, beating ... */
public interface Role {

  /** What logs and threads call it. */
  String name();

  /**
   * Do one bounded piece of work.
   *
   * @return when to call again at the latest; earlier if {@link Waker#wake} is called
   */
  Moment tick(Moment now);
}
