package dev.holdfast.api.workflow;

/**
 * The state of a run.
 *
 * <pre>
 *  QUEUED ──room──► RUNNING ◄──pause, resume──► PAUSED
 *     │                │  └──cancel, deadline──► CANCELLING ──► CANCELLED, FAILED
 *     └──cancel──► CANCELLED   └──► SUCCEEDED, FAILED ──retry──► RUNNING
 * </pre>
 */
public enum RunState {
  /** Waits because the maximum number of runs is active. */
  QUEUED(false),
  /** Starts steps as their rules allow. */
  RUNNING(false),
  /** Starts no step. Steps that were running when it was paused may still end. */
  PAUSED(false),
  /** Is being cancelled: starts only compensations and finally steps. */
  CANCELLING(false),
  /** Ended: every step that must succeed has succeeded. */
  SUCCEEDED(true),
  /** Ended because a step failed, or its deadline passed. */
  FAILED(true),
  /** Ended because it was cancelled. */
  CANCELLED(true);

  private final boolean ended;

  RunState(boolean ended) {
    this.ended = ended;
  }

  /** Returns whether the run has ended: it starts nothing unless it is retried. */
  public boolean hasEnded() {
    return ended;
  }
}
