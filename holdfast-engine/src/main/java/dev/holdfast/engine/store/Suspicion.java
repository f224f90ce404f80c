package dev.holdfast.engine.store;

/**
 * How a job is claimed after crashes. It is decided when the job is recovered, and stored with it.
 */
public enum Suspicion {
  /** Like any other job. */
  NONE,
  /**
   * The job is a crash suspect: it runs together with as many others as its node allows at present.
   */
  SLOW,
  /**
   * The job is a crash suspect with one crash left: it runs as the only crash suspect on its node.
   */
  ALONE
}
