package dev.holdfast.engine.role;

/** Requests that a role is ticked soon. */
@FunctionalInterface
public interface Waker {

  /**
   * Ticks the role at once, or once more if a tick is in progress. Cheap, and callable from any
   * thread.
   */
  void wake();
}
