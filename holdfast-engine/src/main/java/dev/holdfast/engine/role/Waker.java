package dev.holdfast.engine.role;

/** Lets others ask that a role be ticked soon. */
@FunctionalInterface
public interface Waker {

  /** Tick at once, or once more if a tick is under way. Cheap, and callable from any thread. */
  void wake();
}
