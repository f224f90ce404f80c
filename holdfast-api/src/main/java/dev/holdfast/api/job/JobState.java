package dev.holdfast.api.job;

/**
 * The state of a job.
 *
 * <pre>
 *  SCHEDULED ──due──► READY ──claim──► CLAIMED ──start──► RUNNING ──► SUCCEEDED, FAILED, CANCELLED
 *                     ▲  └── start-by passed ──► EXPIRED     │
 *                     └────────── retry, return ──────────────┘
 * </pre>
 */
public enum JobState {
  /** Not due yet. */
  SCHEDULED(false),
  /** Due, waiting for a node with a free slot. */
  READY(false),
  /** Claimed by a node; the handler has certainly not started. */
  CLAIMED(false),
  /** Running on a node; the handler may have started. */
  RUNNING(false),
  /** Waits, without a node, for a time or a signal that its handler asked for. */
  WAITING(false),
  /** Does not run, because the run that it belongs to is paused. */
  ON_HOLD(false),
  /** Ended successfully. */
  SUCCEEDED(true),
  /** Failed permanently; in the dead-letter queue until it is retried, purged or no longer kept. */
  FAILED(true),
  /** Cancelled. */
  CANCELLED(true),
  /** Not started in time: its start-by time passed first. */
  EXPIRED(true);

  private final boolean ended;

  JobState(boolean ended) {
    this.ended = ended;
  }

  /** Returns whether the job has ended: it does not run again unless it is retried or requeued. */
  public boolean hasEnded() {
    return ended;
  }

  /** Returns whether a node holds the job: it is claimed or running. */
  public boolean isHeld() {
    return this == CLAIMED || this == RUNNING;
  }
}
