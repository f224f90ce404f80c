package dev.holdfast.engine.held;

/** Why a running attempt is told to stop. */
public enum StopReason {
  /** A client requested to cancel the job. */
  CANCELLED,
  /** The attempt exceeded its timeout. */
  TIMED_OUT,
  /** The attempt showed no progress for longer than its heartbeat timeout. */
  HEARTBEAT_TIMED_OUT,
  /** This node has lost the claim; the outcome of the attempt is ignored. */
  CLAIM_LOST,
  /**
   * The node is stopping, or a client requested the job back; it is handed back without using an
   * attempt.
   */
  HANDED_BACK
}
