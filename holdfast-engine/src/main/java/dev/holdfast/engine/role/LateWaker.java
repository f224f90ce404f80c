package dev.holdfast.engine.role;

/**
 * The waker that a driver gives to a role while it creates it. What it wakes may depend on the
 * role, so it is set afterwards. A wake before that is not needed: every role is ticked when it is
 * started.
 */
public final class LateWaker implements Waker {
  private volatile Waker target = () -> {};

  /** Sets what to wake. */
  public void wakes(Waker driven) {
    this.target = driven;
  }

  @Override
  public void wake() {
    target.wake();
  }
}
