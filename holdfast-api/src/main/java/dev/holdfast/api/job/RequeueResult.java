package dev.holdfast.api.job;

/** The result of a {@linkplain dev.holdfast.api.Holdfast#requeue requeue}. */
public enum RequeueResult {
  /** The job was scheduled or dead-lettered, and is ready now. */
  READY,
  /** The job was already ready. */
  ALREADY_READY,
  /**
   * A node holds the job and was told to return it. It does so at its next heartbeat, when the
   * handler has stopped, without using an attempt. If the node is silent, the job is recovered when
   * the timeout of the node ends.
   */
  REQUESTED,
  /** The job has succeeded, expired or been cancelled; nothing was changed. */
  ENDED,
  /** Another active job has its unique key; nothing was changed. */
  KEY_TAKEN,
  /** The job does not exist, or is no longer kept. */
  NOT_FOUND
}
