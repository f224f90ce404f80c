package dev.holdfast.api.job;

/**
 * Where a job stands.
 *
 * <pre>
 *  SCHEDULED ──due──► READY ──claim──► CLAIMED ──start──► RUNNING ──► SUCCEEDED, FAILED, CANCELLED
 *                     ▲  └── start-by passed ──► EXPIRED     │
 *                     └────────── retry, hand-back ───────────┘
 * </pre>
 */
public enum JobState {
  /** Its time has not come. */
  SCHEDULED(false),
  /** Due, waiting for a node with a free slot. */
  READY(false),
  /** Held by a node; its code has certainly not begun. */
  CLAIMED(false),
  /** Held by a node; its code may have begun. */
  RUNNING(false),
  /** Done, with a result. */
  SUCCEEDED(true),
  /** Failed for good; kept in the dead letter until it is retried or purged. */
  FAILED(true),
  /** Stopped by request. */
  CANCELLED(true),
  /** Its start-by time passed before it began. */
  EXPIRED(true);

  private final boolean ended;

  JobState(boolean ended) {
    this.ended = ended;
  }

  /** Whether the job will never run again unless somebody asks for it. */
  public boolean hasEnded() {
    return ended;
  }

  /** Whether a node holds the job. */
  public boolean isHeld() {
    return this == CLAIMED || this == RUNNING;
  }
}
