package dev.holdfast.api.schedule;

/**
 * What happens at a due time while an earlier job of the same schedule has not ended: it is
 * waiting, running, or waiting for a retry.
 */
public enum Overlap {
  /** Creates another job. */
  ALLOW,
  /** Creates no job for this due time. */
  SKIP,
  /**
   * Waits until that job has ended, and then creates one for the latest due time. However many due
   * times pass in the meantime, only one job is created.
   */
  QUEUE
}
