package dev.holdfast.api.lease;

/** The state of a lease. A lease in any state but {@link #CLAIMED} can be acquired again. */
public enum LeaseState {
  /** Held, or left behind by a holder that died: {@link LeaseInfo#remaining} tells which. */
  CLAIMED,
  /** Completed by its holder. */
  DONE,
  /** Failed by its holder. */
  FAILED,
  /** Not renewed for its TTL, and marked by {@link Leases#reclaimExpired}. */
  EXPIRED
}
