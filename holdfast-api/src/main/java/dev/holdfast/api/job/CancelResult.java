package dev.holdfast.api.job;

/** The result of a {@linkplain dev.holdfast.api.Holdfast#cancel cancellation}. */
public enum CancelResult {
  /** The job had not started, and is cancelled. */
  CANCELLED,
  /** The job is running: its node was told to interrupt it, and it will not run again. */
  REQUESTED,
  /** The job had already ended. */
  ALREADY_ENDED,
  /** The job does not exist, or is no longer kept. */
  NOT_FOUND
}
