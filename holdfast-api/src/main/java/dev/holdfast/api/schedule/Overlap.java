package dev.holdfast.api.schedule;

/**
 * What happens at a due time while a job of the same schedule is live: waiting, running, or waiting
 * to be tried again.
 */
public enum Overlap {
  /** Create another job all the same. */
  ALLOW,
  /** Create none; this due time is over. */
  SKIP,
  /**
   * Wait until that job has ended, then create one for the latest time that was due. So one firing
   * at most waits behind the job that runs, however many due times pass.
   */
  QUEUE
}
