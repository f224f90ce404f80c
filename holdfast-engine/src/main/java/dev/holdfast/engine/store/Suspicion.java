package dev.holdfast.engine.store;

/**
 * How a job is claimed after crashes. It is decided when the job is recovered, and stored with it.
 */
public enum Suspicion {
  /** As any other. */
  NONE,
  /** It is a crash suspect: among as many of them as its node allows at present. */
  SLOW,
  /** It is a crash suspect with one crash left: as the only crash suspect on its node. */
  ALONE
}
