package dev.holdfast.api.job;

/** What became of a wish to run a dead-lettered job again. */
public enum RetryResult {
  /** The job is ready again, under the same id and with a token that goes on growing. */
  READY,
  /** The job is not in the dead letter: it is live, or ended otherwise. */
  NOT_FAILED,
  /** Another active job holds its unique key; retry when that one has ended. */
  KEY_TAKEN,
  /** There is no such job, or it is no longer kept. */
  NOT_FOUND
}
