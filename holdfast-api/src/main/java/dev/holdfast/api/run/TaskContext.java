package dev.holdfast.api.run;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobProgress;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Describes the current attempt to its handler, and lets the handler report progress, enqueue
 * further jobs and learn whether it should stop.
 */
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
   * refuse smaller numbers: then a process that was paused and has lost its claim can do no harm
   * there either.
   */
  long fencingToken();

  /** Returns the id of the node that runs the job. */
  String node();

  /** Returns the tags of the job. */
  Set<String> tags();

  /** Returns when the job was enqueued, by the clock of the database. */
  Instant createdAt();

  /**
   * Returns the {@linkplain dev.holdfast.api.job.UniqueKey unique key} of the job, if it has one.
   */
  Optional<String> uniqueKey();

  /** Returns how many attempts the retry policy of the job allows. */
  int maxAttempts();

  /**
   * Returns whether the job is dead-lettered if this attempt fails with an exception that is
   * retried by default. A retry rule that matches the exception may decide otherwise.
   */
  default boolean isLastAttempt() {
    return attempt() >= maxAttempts();
  }

  /**
   * Returns when this attempt times out, by the clock of this machine; empty if the job has no
   * {@linkplain dev.holdfast.api.job.JobOptions.Builder#timeout timeout}.
   */
  Optional<Instant> deadline();

  /**
   * Returns a client to enqueue jobs with. They know this job as their {@linkplain
   * dev.holdfast.api.job.Job#parent parent}. What is enqueued stays enqueued if this attempt fails,
   * so give such jobs a unique key or your own id. Closing the client has no effect.
   *
   * <pre>{@code
   * context.client().enqueue(WELCOME, welcome, job -> job.unique(UniqueKey.whileActive("ada")));
   * }</pre>
   */
  Holdfast client();

  /**
   * Returns the durable steps of this job: what they return is stored, and they are not executed
   * again when the job runs again.
   */
  DurableSteps steps();

  /**
   * Returns a secret, such as the password of another system. On a server these are the secrets of
   * the tenant that the job belongs to; an embedded node has those of its {@link SecretSource}.
   *
   * <p>Ask for it each time and do not store it: it may change. Where the handler reports the value
   * in its result, a failure, progress or a log line, {@code ***} is stored instead. The results of
   * {@linkplain #steps durable steps} and the payloads of other jobs are stored as they are.
   *
   * @throws SecretUnavailableException if there is none with this name, it cannot be read, or this
   *     node has no secrets
   */
  default String secret(String name) {
    throw new SecretUnavailableException(
        "Secret '%s' cannot be read, because this context has no secrets.".formatted(name));
  }

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

  /**
   * Returns whether the node is draining: it has been told to stop, claims no more jobs, and lets
   * this attempt continue for the shutdown grace. Then {@link #isStopping} becomes true. A handler
   * that works in pieces can finish the current one and throw {@link RetryLater} to continue on
   * another node.
   */
  boolean isDraining();

  /**
   * Registers a callback that is called once when the node starts to drain while this attempt runs;
   * immediately if it is draining already. Each callback runs in its own thread and may block.
   */
  void onDrain(Runnable callback);

  /**
   * Reports progress, which {@linkplain dev.holdfast.api.job.Job#progress finding the job} shows,
   * and restarts the heartbeat timeout, like {@link #heartbeat}. It can be called often: it does
   * not access the database, and the node stores the latest report of each job about once a second.
   *
   * @param done how much is done, from 0
   * @param total how much there is to do; 0 if that is not known
   * @param message what is being done, cut to 500 characters
   * @throws IllegalArgumentException if {@code done} or {@code total} is negative
   * @throws java.util.concurrent.CancellationException if this attempt has been told to stop, see
   *     {@link #heartbeat}
   */
  void progress(long done, long total, String message);

  /**
   * Returns the last progress that any attempt of this job reported. A retry can continue where the
   * previous attempt stopped, if it reported often enough.
   */
  Optional<JobProgress> progress();

  /**
   * Writes a line to the log of this node and, if the node is configured to {@code keepJobLog}, to
   * the {@linkplain dev.holdfast.api.job.Job#log log stored with the job}. Only the last lines are
   * kept.
   *
   * @param line the text, cut to 500 characters
   */
  void log(String line);
}
