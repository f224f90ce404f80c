package dev.holdfast.engine.held;

/** Why a running attempt is told to stop. */
public enum StopReason {
  /** Somebody asked to cancel the job. */
  CANCELLED,
  /** It took longer than its timeout. */
  TIMED_OUT,
  /** It gave no sign of getting on for longer than its heartbeat timeout. */
  HEARTBEAT_TIMED_OUT,
  /** The claim is no longer this node's; whatever the attempt does is void. */
  CLAIM_LOST,
  /** The node stops; the job goes back with nothing spent. */
  HANDED_BACK
}
