package dev.holdfast.api.task;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to a job whose node died while the job was running, if the crash policy of
 * the job is {@link dev.holdfast.api.policy.CrashPolicy#decidedByTask}. It is called on the node
 * that recovers the job, which need not be the node that will run it, and has 5 seconds to decide.
 *
 * <p>If it throws, returns null or takes longer, it is called again at the next sweep. After the
 * third time the job is dead-lettered as {@link FailureCode#WORKER_CRASHED}. The same happens to a
 * job if no live node has had a recovery policy for its task for some time; see {@link
 * dev.holdfast.api.policy.CrashPolicy.Action#DECIDED_BY_TASK}.
 *
 * @param <P> the payload type of the task
 */
@FunctionalInterface
public interface RecoveryPolicy<P> {

  /**
   * A crash of a node while it ran a job.
   *
   * <p>{@link #payload} and {@link #tags} read the job from the database when one of them is first
   * called, so a policy that needs neither costs no read.
   *
   * @param <P> the payload type of the task
   */
  interface Crash<P> {
    /** Returns the id of the job. */
    JobId job();

    /** Returns the name of its task. */
    String task();

    /** Returns the queue of the job. */
    String queue();

    /**
     * Returns the decoded payload of the job; null if it has none.
     *
     * @throws dev.holdfast.api.codec.CodecException if it cannot be decoded, for example because a
     *     newer version of the program enqueued it. A policy that does not catch this exception has
     *     failed once more
     * @throws dev.holdfast.api.StoreException if the job cannot be read
     */
    @Nullable P payload();

    /**
     * Returns the tags of the job.
     *
     * @throws dev.holdfast.api.StoreException if the job cannot be read
     */
    Set<String> tags();

    /** Returns how many crashes of the job were recorded, including this one. */
    int crashes();

    /** Returns how many attempts of the job count. */
    int attempt();

    /** Returns the id of the node that died. */
    String holder();

    /** Returns how long that node had sent no heartbeat. */
    Duration sinceLastHeartbeat();
  }

  /** What to do with the job. */
  sealed interface Decision {
    /**
     * Runs the job again after a delay.
     *
     * @param delay how long to wait
     */
    record RunAgain(Duration delay) implements Decision {}

    /**
     * Dead-letters the job.
     *
     * @param reason why, as shown in its last failure
     */
    record Fail(String reason) implements Decision {}
  }

  /** Decides what to do with a job whose node died. */
  Decision onCrash(Crash<P> crash);
}
