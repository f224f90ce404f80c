package dev.holdfast.tck.contract;

/** A way in which a run can be inconsistent with its jobs, for the tests of its repair. */
public enum Inconsistency {
  /** The live job of the step does not exist. */
  JOB_LOST,
  /** The result of the step and all marks of the run do not exist. */
  RESULT_LOST,
  /** The dead-lettered job of the step has no failures. */
  FAILURES_LOST,
  /** All marks of the run do not exist. */
  MARKS_LOST,
  /** The job of the step is READY, although the run is paused. */
  JOB_READY,
  /** The job of the step is ON_HOLD, although the run is active. */
  JOB_ON_HOLD,
  /** The row of the run does not exist, but its jobs and marks do. */
  RUN_LOST
}
