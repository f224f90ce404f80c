package dev.holdfast.engine.notify;

import dev.holdfast.api.job.JobId;
import java.time.Duration;
import java.util.UUID;

/** Something that others may want to know soon. */
public sealed interface Signal {

  /**
   * A queue has new READY jobs.
   *
   * @param jobs how many there are at least; 0 if that is not known
   */
  record NewWork(String queue, int priority, int jobs) implements Signal {
    private static final int MANY = 1_000_000;

    /** New READY jobs, nobody says how many. */
    public NewWork(String queue, int priority) {
      this(queue, priority, 0);
    }

    /** Both, for the same queue. */
    public NewWork and(NewWork other) {
      return new NewWork(
          queue,
          Math.max(priority, other.priority),
          jobs == 0 || other.jobs == 0 ? 0 : (int) Math.min(MANY, (long) jobs + other.jobs));
    }
  }

  /** A job was scheduled; stagers that sleep longer than this should not. */
  record Scheduled(Duration in) implements Signal {}

  /** A queue was paused, resumed or limited. */
  record QueueChanged(String queue) implements Signal {}

  /** A task was limited, or its breaker opened or closed. */
  record TaskChanged(String task) implements Signal {}

  /** Somebody wants something of this incarnation; the answer to its next beat says what. */
  record HeartbeatRequested(UUID incarnation) implements Signal {}

  /** Somebody waits for this job to end; who ends it, please say so. */
  record ResultAwaited(JobId job) implements Signal {}

  /** A job that somebody awaited has ended. */
  record JobEnded(JobId job) implements Signal {}

  /**
   * A schedule was made, changed or resumed, and may be due sooner than anybody expects; or a node
   * has gone, and perhaps with it what kept a schedule alive.
   */
  record SchedulesChanged() implements Signal {}

  /** A node has registered: from now on the sweepers of others measure how long it is silent. */
  record NodeJoined() implements Signal {}

  /** A node was marked dead: what it held is to be recovered, perhaps not by the one that did. */
  record NodeDied() implements Signal {}

  /** Signals may have been missed, since the coordinator was cut off for a while: look once. */
  record SignalsMissed() implements Signal {}
}
