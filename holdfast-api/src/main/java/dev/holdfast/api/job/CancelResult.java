package dev.holdfast.api.job;

/** What became of a wish to cancel. */
public enum CancelResult {
  /** The job had not begun and never will. */
  CANCELLED,
  /** The job runs; its holder was told to interrupt it, and it will not run again. */
  REQUESTED,
  /** The job had ended before. */
  ALREADY_ENDED,
  /** There is no such job, or it is no longer kept. */
  NOT_FOUND
}
