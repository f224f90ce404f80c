package dev.holdfast.api.workflow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a run.
 *
 * @param seq its number: the events of a run are numbered in the order in which they became
 *     visible, so a reader that continues after the last number misses none
 * @param at when it happened, by the clock of the database
 * @param kind what happened
 * @param step the step that it happened to; null for the run as a whole
 * @param detail more about it, such as an id, a code or a reason; null for none
 */
public record RunEvent(
    long seq, Instant at, Kind kind, @Nullable String step, @Nullable String detail) {

  /** What can happen to a run. */
  public enum Kind {
    /** The run was created. */
    CREATED,
    /** The run waits because the maximum number of runs is active. */
    QUEUED,
    /** A step became ready: its job, child run or map was created. */
    STEP_STARTED,
    /** A step waits for a time or a signal. */
    STEP_WAITING,
    /** A step succeeded. */
    STEP_SUCCEEDED,
    /** A step failed. */
    STEP_FAILED,
    /** A step was cancelled. */
    STEP_CANCELLED,
    /** A step was skipped. */
    STEP_SKIPPED,
    /** A step is to run again. */
    STEP_RETRIED,
    /** A signal arrived. */
    SIGNALLED,
    /** The reconciler repaired a step. */
    RECOVERED,
    /** The run was paused. */
    PAUSED,
    /** The run was resumed. */
    RESUMED,
    /** The run is being cancelled. */
    CANCELLING,
    /** Compensations run. */
    COMPENSATING,
    /** Finally steps run. */
    FINALLY,
    /** The run was moved to another version of its workflow. */
    MOVED,
    /** The run was retried. */
    RETRIED,
    /** The run ended. */
    ENDED
  }
}
