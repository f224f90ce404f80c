package dev.holdfast.api.lease;

/** Why a process no longer holds a lease that it did not release. */
public enum LeaseLoss {
  /** No renewal succeeded within its TTL. */
  NOT_RENEWED,
  /**
   * The database no longer has it under its fencing token: another process took it over, or an
   * operator released it.
   */
  REVOKED,
  /** The node was closed while the lease was held. */
  CLOSED,
  /**
   * The holder closed it, but its end could not be written: other processes can acquire it when its
   * TTL is over.
   */
  NOT_WRITTEN
}
