package dev.holdfast.api.job;

/** The answer to a wish that a job be run by whoever is free. */
public enum RequeueResult {
  /** It waited for its time, or lay in the dead letter, and is ready now. */
  READY,
  /** It was ready before. */
  ALREADY_READY,
  /**
   * A node holds it and was asked to give it back. It does so at its next heartbeat, with nothing
   * spent, once the code of the job has stopped; if it is silent, the job is taken from it when its
   * terms lapse.
   */
  REQUESTED,
  /** It has ended otherwise than by failing for good. */
  ENDED,
  /** Another live job has its unique key. */
  KEY_TAKEN,
  /** There is no such job, or it is no longer kept. */
  NOT_FOUND
}
