package dev.holdfast.api.lease;

/** Where a lease is in its life. All but {@link #CLAIMED} can be acquired again. */
public enum LeaseState {
  /** Somebody holds it, or held it and never came back: see how much time it has left. */
  CLAIMED,
  /** Its holder said that the work is done. */
  DONE,
  /** Its holder said that the work failed. */
  FAILED,
  /** Its holder fell silent past its time, and somebody noted that. */
  EXPIRED
}
