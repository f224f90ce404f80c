package dev.holdfast.server.tenant;

import dev.holdfast.api.HoldfastException;

/** Thrown when a tenant does not allow an operation. Nothing was changed. */
public final class TenantException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** Why an operation is not possible. */
  public enum Reason {
    /** There is no such tenant. */
    NOT_FOUND,
    /** There is a tenant with this name. */
    EXISTS,
    /** The tenant has live work. */
    IN_USE,
    /** The state of the tenant does not allow it. */
    WRONG_STATE
  }

  private final Reason reason;

  public TenantException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Returns why the operation is not possible. */
  public Reason reason() {
    return reason;
  }
}
