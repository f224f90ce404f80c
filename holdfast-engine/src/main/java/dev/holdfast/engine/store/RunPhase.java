package dev.holdfast.engine.store;

/** Which part of its graph a run executes. Phases follow each other in this order. */
public enum RunPhase {
  /** The steps of the workflow. */
  MAIN,
  /** The run failed or is being cancelled: steps that run are being cancelled, no other starts. */
  STOPPING,
  /** Compensations, one at a time. */
  COMPENSATE,
  /** The finally steps. */
  FINALLY
}
