package dev.holdfast.server.tenant;

/** The state of a tenant. */
public enum TenantState {
  /** Its schema is being created. It is not visible yet. */
  CREATING,
  /** Works. */
  ACTIVE,
  /** Accepts no new work and starts none. Reading is possible. */
  SUSPENDED,
  /** Its keys are refused, and its schema is dropped when the grace period is over. */
  DELETING,
  /** Its schema is gone, and its name is free. */
  DROPPED
}
