package dev.holdfast.api.job;

/** The result of sending a signal to a job. */
public enum SignalResult {
  /** The signal is stored, and the job continues if it awaits it. */
  SENT,
  /** A signal of this name and id was sent before; this one was ignored. */
  DUPLICATE,
  /** The job has ended, so the signal was ignored. */
  ENDED,
  /** There is no such job. */
  NOT_FOUND
}
