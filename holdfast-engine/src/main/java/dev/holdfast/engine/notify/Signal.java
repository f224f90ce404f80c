package dev.holdfast.engine.notify;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import java.time.Duration;
import java.util.UUID;

/** A notification for the other nodes and clients of a cluster. */
public sealed interface Signal {

  /**
   * A queue has new READY jobs.
   *
   * @param jobs the minimum number of new jobs; 0 if that is not known
   */
  record NewWork(String queue, int priority, int jobs) implements Signal {
    private static final int MANY = 1_000_000;

    /** Creates a signal of an unknown number of new READY jobs. */
    public NewWork(String queue, int priority) {
      this(queue, priority, 0);
    }

    /** Returns the sum of this signal and another one for the same queue. */
    public NewWork and(NewWork other) {
      return new NewWork(
          queue,
          Math.max(priority, other.priority),
          jobs == 0 || other.jobs == 0 ? 0 : (int) Math.min(MANY, (long) jobs + other.jobs));
    }
  }

  /** A job was scheduled; stagers must not sleep longer than this. */
  record Scheduled(Duration in) implements Signal {}

  /** A queue was paused, resumed or limited. */
  record QueueChanged(String queue) implements Signal {}

  /** A task was limited, or its breaker opened or closed. */
  record TaskChanged(String task) implements Signal {}

  /**
   * The incarnation should send a heartbeat immediately; the reply contains what is requested of
   * it.
   */
  record HeartbeatRequested(UUID incarnation) implements Signal {}

  /** Runs have marks, or a timer of a run was set; advancers must not sleep longer than this. */
  record RunsMarked(Duration in) implements Signal {}

  /**
   * A client awaits the end of this job, or of the run with this id; the node that ends it should
   * send {@link JobEnded}.
   */
  record ResultAwaited(JobId job) implements Signal {}

  /** An awaited job, or run, has ended. */
  record JobEnded(JobId job) implements Signal {}

  /**
   * A client watches something and wants to hear of its changes for the next two minutes.
   *
   * @param topic {@link #JOBS}, or the {@link #run} that it watches
   */
  record Watched(String topic) implements Signal {}

  /** Something that a client watches has changed. */
  record Changed(String topic) implements Signal {}

  /** The topic of the jobs in queues. */
  String JOBS = "jobs";

  /** Returns the topic of a run. */
  static String run(RunId run) {
    return "run:" + run;
  }

  /**
   * A schedule was created, changed or resumed, and may be due sooner than expected; or a node has
   * gone that may have been the last to declare a schedule.
   */
  record SchedulesChanged() implements Signal {}

  /**
   * A node has registered: from now on the sweepers of other nodes measure how long it is silent.
   */
  record NodeJoined() implements Signal {}

  /**
   * A node was marked dead: the jobs it held must be recovered, possibly by another node than the
   * one that marked it.
   */
  record NodeDied() implements Signal {}

  /** A signal that concerns one of several tenants that share a coordinator. */
  record InTenant(int tenant, Signal signal) implements Signal {}

  /**
   * Signals may have been missed, since the coordinator was disconnected for a while: poll once.
   */
  record SignalsMissed() implements Signal {}
}
