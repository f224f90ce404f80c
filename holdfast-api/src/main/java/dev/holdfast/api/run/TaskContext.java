package dev.holdfast.api.run;

import dev.holdfast.api.job.JobId;
import java.time.Instant;
import java.util.Set;

/** Describes the current attempt to its handler. */
public interface TaskContext {

  /** Returns the id of the job. */
  JobId jobId();

  /** Returns the name of the task. */
  String task();

  /** Returns the queue of the job. */
  String queue();

  /** Returns the number of this attempt, from 1. */
  int attempt();

  /**
   * Returns a number that grows with every claim of this job. Pass it to other systems and let them
   * refuse smaller numbers: then a paused process that has lost its claim cannot do harm there
   * either.
   */
  long fencingToken();

  /** Returns the id of the node that runs the job. */
  String node();

  /** Returns the tags of the job. */
  Set<String> tags();

  /** Returns when the job was enqueued, by the clock of the database. */
  Instant createdAt();

  /**
   * Reports progress and restarts the {@linkplain
   * dev.holdfast.api.job.JobOptions.Builder#heartbeatTimeout heartbeat timeout}. It is cheap and
   * does not access the database, so it can be called often, with or without such a timeout.
   *
   * @throws java.util.concurrent.CancellationException if this attempt has been told to stop, see
   *     {@link #isStopping}. Do not catch it: the reason for stopping determines the outcome of the
   *     attempt
   */
  void heartbeat();

  /**
   * Returns whether this attempt has been told to stop: it was cancelled or timed out, its node is
   * stopping, or its claim was lost. The thread has been interrupted, too; this method is for code
   * that cannot check for interruption. The result of a stopped attempt is ignored.
   */
  boolean isStopping();
}
