package dev.holdfast.api.task;

import dev.holdfast.api.job.JobId;
import java.time.Instant;
import java.util.Set;

/** What a handler may know about the job it runs. */
public interface TaskContext {

  JobId jobId();

  /** The name of the task. */
  String task();

  String queue();

  /** Which attempt this is, from 1. */
  int attempt();

  /**
   * A number that grows with every claim of this job. Hand it to other systems and let them refuse
   * smaller ones: then a holder that was paused and overtaken cannot do harm there either.
   */
  long fencingToken();

  /** The node that runs it. */
  String node();

  Set<String> tags();

  /** When the job was enqueued, by the database's clock. */
  Instant createdAt();

  /**
   * Say that the task is getting on, so that its heartbeat timeout counts anew. It costs next to
   * nothing and stays in this process; call it as often as you like, with or without such a
   * timeout.
   *
   * @throws java.util.concurrent.CancellationException if this attempt has been told to stop, as
   *     {@link #isStopping} says. Let it pass: how the attempt ends is settled by what stopped it.
   */
  void heartbeat();

  /**
   * Whether this attempt has been told to stop: cancelled, timed out, its node stops, or its claim
   * was lost. Its thread has been interrupted too; this is for code that cannot look at
   * interruption. What the handler returns from then on does not count.
   */
  boolean isStopping();
}
