package dev.holdfast.api.job;

/** The result of a {@linkplain dev.holdfast.api.Holdfast#retry retry} of a dead-lettered job. */
public enum RetryResult {
  /** The job is ready again, with the same id; its fencing token keeps growing. */
  READY,
  /** The job is not dead-lettered: it has not ended, or not by failing. */
  NOT_FAILED,
  /** Another active job has its unique key; retry when that job has ended. */
  KEY_TAKEN,
  /** The job does not exist, or is no longer kept. */
  NOT_FOUND
}
