package dev.holdfast.api.workflow;

/** What a run does when a step has failed permanently. */
public enum OnError {
  /**
   * The run fails: it starts no further step, cancels those that run, then runs compensations and
   * finally steps.
   */
  FAIL,
  /** The run is paused, so that an operator can retry the step or resume without it. */
  PAUSE,
  /** The run continues: the rules of dependent steps decide what happens. */
  CONTINUE
}
