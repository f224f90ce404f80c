package dev.holdfast.api.lease;

import dev.holdfast.api.HoldfastException;

/** Thrown by {@link Acquisition#orElseThrow} if the lease was not acquired. */
public final class LeaseBusyException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient Acquisition.Busy busy;

  /** Creates the exception. */
  public LeaseBusyException(Acquisition.Busy busy) {
    super(busy.describe() + " Try again after that, or use toOptional() to continue without it.");
    this.busy = busy;
  }

  /** Returns the holder of the lease, and for how long the lease stays busy. */
  public Acquisition.Busy busy() {
    return busy;
  }
}
