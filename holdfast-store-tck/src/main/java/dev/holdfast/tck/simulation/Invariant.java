package dev.holdfast.tck.simulation;

/** The invariants that must hold after every event and at the end. */
public enum Invariant {
  /** An enqueued job can be found in every state. */
  NO_JOB_LOST,
  /** A job is claimed only while it has no holder. */
  NONE_HELD_TWICE,
  /**
   * After an effect under a token, or after the job was recovered so that another node may start
   * it, there is no effect under an earlier token.
   */
  NO_STALE_EFFECT,
  /** The handler starts at most once under a token. */
  A_TOKEN_STARTS_ONCE,
  /** The token of a job never becomes smaller. */
  TOKENS_GROW,
  /** A job that was CLAIMED and did not start uses no attempt. */
  CLAIMED_IS_FREE,
  /** A job that has ended stays as it is. */
  ENDED_STAYS_ENDED,
  /** Some time after the last fault, every job has ended. */
  EVERY_JOB_ENDS,
  /** A job that SUCCEEDED has done all of its work. */
  SUCCESS_IS_COMPLETE,
  /**
   * No two holders believe at the same time that they hold a lease. After an effect under the token
   * of a lease, there is none under an earlier token.
   */
  LEASES_EXCLUDE,
  /**
   * While a holder believes that it holds a lease, the lease has not expired in the store and has
   * the holder's token, so the store grants it to no other.
   */
  HELD_LEASES_HAVE_TIME_LEFT,
  /**
   * Each grant of a lease has a larger token than all earlier grants, unless the request is a
   * repeat.
   */
  LEASE_TOKENS_GROW,
  /** Some time after the last fault, every run has ended. */
  EVERY_RUN_ENDS,
  /** No job of a paused run starts, nor of a run whose pause was acknowledged. */
  PAUSED_RUNS_START_NOTHING,
  /**
   * In a run that has failed or was cancelled, only compensations and finally steps start; in one
   * that has ended, nothing.
   */
  ONLY_CLEANUP_STARTS_AFTER_THE_END,
  /**
   * A step of a run, or an element of a map, has one job and ends once, until the run is retried.
   */
  A_STEP_ENDS_ONCE,
  /** The events of a run, replayed, give the states of its steps. */
  EVENTS_REPLAY,
  /** No start makes more runs of a workflow active than its limit allows, nor out of order. */
  LIMITS_ON_RUNS_HOLD,
  /** A rerun has the results of the steps that it keeps, and does not run them again. */
  RERUNS_KEEP_RESULTS,
  /** A step of a run starts after all of its dependencies have ended. */
  STEPS_FOLLOW_THEIR_DEPENDENCIES,
  /**
   * A durable step whose result was stored is not executed again, and only the holder of the job
   * stores results.
   */
  DURABLE_STEPS_STAY_DONE,
  /** No role throws an exception that it should have handled. */
  NO_ROLE_FAILS
}
