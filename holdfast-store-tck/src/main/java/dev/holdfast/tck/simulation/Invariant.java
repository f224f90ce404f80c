package dev.holdfast.tck.simulation;

/** The invariants that must hold after every event and at the end. */
public enum Invariant {
  /** A job that was taken in is found, whatever its state. */
  NO_JOB_LOST,
  /** A job gets a new holder only while it has none. */
  NONE_HELD_TWICE,
  /**
   * Once there was an effect of a token, or the job was taken from the holder of one so that there
   * could be, there is no effect of an earlier one.
   */
  NO_STALE_EFFECT,
  /** The code of a claim begins once. */
  A_TOKEN_BEGINS_ONCE,
  /** The token of a job never becomes smaller. */
  TOKENS_GROW,
  /** A job that was CLAIMED and did not begin has spent nothing. */
  CLAIMED_IS_FREE,
  /** A job that has ended stays as it is. */
  ENDED_STAYS_ENDED,
  /** Some time after everything has calmed down, every job has ended. */
  EVERY_JOB_ENDS,
  /** A job that counts as a success has done all of its work. */
  SUCCESS_IS_COMPLETE,
  /**
   * No two holders believe at the same time that they hold a lease; and once there was an effect of
   * a lease's token, there is none of an earlier one.
   */
  LEASES_EXCLUDE,
  /**
   * A lease that a holder believes to hold is claimed under its token in the store and has time
   * left, so that the store can grant it to no other.
   */
  HELD_LEASES_HAVE_TIME_LEFT,
  /** A lease is granted under a larger token than ever before, unless the request is a repeat. */
  LEASE_TOKENS_GROW,
  /** No role throws what it should have expected. */
  NO_ROLE_STUMBLES
}
