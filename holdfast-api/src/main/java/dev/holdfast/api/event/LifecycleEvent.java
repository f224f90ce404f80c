package dev.holdfast.api.event;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.time.Duration;
import java.util.UUID;

/** Something that happened to a job or a node, confirmed by the database. */
public sealed interface LifecycleEvent {

  /** The node that tells it. */
  String node();

  /** Something that happened to a job. */
  sealed interface OfJob extends LifecycleEvent {
    JobId job();

    /** The name of the task it runs. */
    String task();

    String queue();
  }

  /** Something that happened to a node. */
  sealed interface OfNode extends LifecycleEvent {
    /** The incarnation it happened to. */
    UUID incarnation();
  }

  /** Something that happened to a task. */
  sealed interface OfTask extends LifecycleEvent {
    /** The name of the task. */
    String task();
  }

  /** The node took hold of a job; its code has not begun. */
  record Claimed(String node, JobId job, String task, String queue, long token) implements OfJob {}

  /**
   * An attempt begins.
   *
   * @param attempt its number, from 1
   */
  record Started(String node, JobId job, String task, String queue, int attempt) implements OfJob {}

  /**
   * A job ended, otherwise than by failing for good.
   *
   * @param state SUCCEEDED or CANCELLED
   */
  record Finished(String node, JobId job, String task, String queue, JobState state)
      implements OfJob {}

  /**
   * An attempt failed and the job is tried again.
   *
   * @param attempt the number of the attempt that failed
   * @param code why, as retry rules match it
   * @param delay how long until the next attempt
   */
  record Retried(
      String node, JobId job, String task, String queue, int attempt, String code, Duration delay)
      implements OfJob {}

  /**
   * A job failed for good.
   *
   * @param attempt the number of the last attempt
   * @param code why
   * @param message what was said
   */
  record DeadLettered(
      String node, JobId job, String task, String queue, int attempt, String code, String message)
      implements OfJob {}

  /**
   * A job was taken from a holder that is gone. If it does not run again, {@link DeadLettered} or
   * {@link Finished} follows.
   *
   * @param from the incarnation that held it
   */
  record Recovered(String node, JobId job, String task, String queue, UUID from) implements OfJob {}

  /**
   * A handler ignores its interrupt and occupies its slot until its thread ends.
   *
   * @param attempt the number of the attempt that hangs
   * @param replaced whether the node runs another job in its place, within {@code
   *     replaceLostSlots}; otherwise it runs one job less until then
   */
  record SlotLost(String node, JobId job, String task, String queue, int attempt, boolean replaced)
      implements OfJob {}

  /** The node is known to the cluster by this incarnation, its first or a later one. */
  record NodeJoined(String node, UUID incarnation) implements OfNode {}

  /**
   * An incarnation of the node is over: it could not show in time that it lives, others had taken
   * it for dead, or somebody dismissed it. What it held is lost. Unless the node stops for good, a
   * {@link NodeJoined} with the next incarnation follows.
   */
  record NodeFenced(String node, UUID incarnation) implements OfNode {}

  /**
   * The node found that another is gone.
   *
   * @param died what people call the one that is gone
   * @param incarnation the incarnation of the one that is gone
   */
  record NodeDied(String node, String died, UUID incarnation) implements OfNode {}

  /**
   * A failure that the node reported opened the breaker of a task, or kept it open.
   *
   * @param pause for how long
   */
  record BreakerOpened(String node, String task, Duration pause) implements OfTask {}

  /** The job that the breaker had let through succeeded on the node, so it is closed again. */
  record BreakerClosed(String node, String task) implements OfTask {}
}
