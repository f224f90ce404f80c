package dev.holdfast.api.event;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.LeaseLoss;
import dev.holdfast.api.lease.LeaseState;
import java.time.Duration;
import java.util.UUID;

/**
 * A change of a job, a node, a task or a lease. A change in the database is reported after the
 * database has confirmed it.
 */
public sealed interface LifecycleEvent {

  /** Returns the id of the node that reports the event. */
  String node();

  /** An event of a job. */
  sealed interface OfJob extends LifecycleEvent {
    /** Returns the id of the job. */
    JobId job();

    /** Returns the name of the task of the job. */
    String task();

    /** Returns the queue of the job. */
    String queue();
  }

  /** An event of a node. */
  sealed interface OfNode extends LifecycleEvent {
    /** Returns the incarnation that the event is about. */
    UUID incarnation();
  }

  /** An event of a task. */
  sealed interface OfTask extends LifecycleEvent {
    /** Returns the name of the task. */
    String task();
  }

  /** An event of a lease that the node holds or held. */
  sealed interface OfLease extends LifecycleEvent {
    /** Returns the key of the lease. */
    String key();

    /** Returns the fencing token of the lease. */
    long token();
  }

  /**
   * A node claimed a job; the handler has not started.
   *
   * @param node the id of the node that reports the event
   * @param job the id of the job
   * @param task the name of its task
   * @param queue its queue
   * @param token the fencing token of the claim
   */
  record Claimed(String node, JobId job, String task, String queue, long token) implements OfJob {}

  /**
   * An attempt started.
   *
   * @param node the id of the node that reports the event
   * @param job the id of the job
   * @param task the name of its task
   * @param queue its queue
   * @param attempt the number of the attempt, from 1
   */
  record Started(String node, JobId job, String task, String queue, int attempt) implements OfJob {}

  /**
   * A job ended successfully, or was cancelled.
   *
   * @param node the id of the node that reports the event
   * @param job the id of the job
   * @param task the name of its task
   * @param queue its queue
   * @param state SUCCEEDED or CANCELLED
   */
  record Finished(String node, JobId job, String task, String queue, JobState state)
      implements OfJob {}

  /**
   * An attempt failed, and the job will be retried.
   *
   * @param node the id of the node that reports the event
   * @param job the id of the job
   * @param task the name of its task
   * @param queue its queue
   * @param attempt the number of the failed attempt
   * @param code the failure code
   * @param delay the time until the next attempt
   */
  record Retried(
      String node, JobId job, String task, String queue, int attempt, String code, Duration delay)
      implements OfJob {}

  /**
   * A job failed permanently and was moved to the dead-letter queue.
   *
   * @param node the id of the node that reports the event
   * @param job the id of the job
   * @param task the name of its task
   * @param queue its queue
   * @param attempt the number of the last attempt
   * @param code the failure code
   * @param message the message of the failure
   */
  record DeadLettered(
      String node, JobId job, String task, String queue, int attempt, String code, String message)
      implements OfJob {}

  /**
   * A job was recovered from a node that died. If it does not run again, a {@link DeadLettered} or
   * {@link Finished} event follows.
   *
   * @param node the id of the node that reports the event
   * @param job the id of the job
   * @param task the name of its task
   * @param queue its queue
   * @param from the incarnation that held the job
   */
  record Recovered(String node, JobId job, String task, String queue, UUID from) implements OfJob {}

  /**
   * A handler ignores interruption and occupies its slot until its thread ends.
   *
   * @param node the id of the node that reports the event
   * @param job the id of the job
   * @param task the name of its task
   * @param queue its queue
   * @param attempt the number of the hanging attempt
   * @param replaced whether the node runs another job in its place, see {@code replaceLostSlots};
   *     otherwise it runs one job less until the thread ends
   */
  record SlotLost(String node, JobId job, String task, String queue, int attempt, boolean replaced)
      implements OfJob {}

  /**
   * The node joined the cluster with its first or a later incarnation.
   *
   * @param node the id of the node
   * @param incarnation the new incarnation
   */
  record NodeJoined(String node, UUID incarnation) implements OfNode {}

  /**
   * An incarnation of the node ended: the node could not send heartbeats in time, other nodes
   * declared it dead, or it was fenced with {@link dev.holdfast.api.Nodes#fence}. It has lost its
   * claims. Unless the node stops, a {@link NodeJoined} event with the next incarnation follows.
   *
   * @param node the id of the node
   * @param incarnation the incarnation that ended
   */
  record NodeFenced(String node, UUID incarnation) implements OfNode {}

  /**
   * The node declared another node dead.
   *
   * @param node the id of the node that reports the event
   * @param died the id of the dead node
   * @param incarnation the incarnation of the dead node
   */
  record NodeDied(String node, String died, UUID incarnation) implements OfNode {}

  /**
   * A failure that the node reported opened the circuit breaker of a task, or kept it open.
   *
   * @param node the id of the node
   * @param task the name of the task
   * @param pause the time until a trial job may start
   */
  record BreakerOpened(String node, String task, Duration pause) implements OfTask {}

  /**
   * The trial job of an open circuit breaker succeeded on the node, so the breaker is closed.
   *
   * @param node the id of the node
   * @param task the name of the task
   */
  record BreakerClosed(String node, String task) implements OfTask {}

  /**
   * The node acquired a lease. Exactly one {@link LeaseReleased} or {@link LeaseLost} event with
   * the same token follows, unless the process ends first.
   *
   * @param node the id of the node
   * @param key the key of the lease; that of a lock starts with {@code lock:}, that of a startup
   *     action with {@code startup:}
   * @param token its fencing token
   * @param attempt 1, plus 1 for each holder that lost the lease since it was last completed or
   *     failed
   */
  record LeaseAcquired(String node, String key, long token, int attempt) implements OfLease {}

  /**
   * The node completed or failed a lease that it held.
   *
   * @param node the id of the node
   * @param key the key of the lease
   * @param token its fencing token
   * @param state DONE or FAILED
   */
  record LeaseReleased(String node, String key, long token, LeaseState state) implements OfLease {}

  /**
   * The node no longer holds a lease that it has not released.
   *
   * @param node the id of the node
   * @param key the key of the lease
   * @param token its fencing token
   * @param reason why
   */
  record LeaseLost(String node, String key, long token, LeaseLoss reason) implements OfLease {}
}
