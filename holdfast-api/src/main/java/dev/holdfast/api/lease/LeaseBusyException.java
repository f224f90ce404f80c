package dev.holdfast.api.lease;

import dev.holdfast.api.HoldfastException;

/** A lease was wanted, and somebody else has it. */
public final class LeaseBusyException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient Acquisition.Busy busy;

  public LeaseBusyException(Acquisition.Busy busy) {
    super(busy.describe() + " Try again then, or use toOptional() to go on without it.");
    this.busy = busy;
  }

  /** Who has it, and for how long still. */
  public Acquisition.Busy busy() {
    return busy;
  }
}
