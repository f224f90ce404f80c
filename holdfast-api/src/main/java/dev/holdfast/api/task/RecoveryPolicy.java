package dev.holdfast.api.task;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import java.time.Duration;

/**
 * Decides what happens to a job whose node died while the job was running, if the crash policy of
 * the job is {@link dev.holdfast.api.policy.CrashPolicy#decidedByTask}. It is called on the node
 * that recovers the job, which need not be the node that will run it, and has 5 seconds to decide.
 *
 * <p>If it throws, returns null or takes longer, it is called again at the next sweep. After the
 * third time the job is dead-lettered as {@link FailureCode#WORKER_CRASHED}.
 */
@FunctionalInterface
public interface RecoveryPolicy {

  /**
   * A crash of a node while it ran a job.
   *
   * @param job the id of the job
   * @param task the name of its task
   * @param crashes how many crashes of the job were recorded, including this one
   * @param attempt how many attempts were started and count
   * @param holder the id of the node that died
   * @param silence how long that node had sent no heartbeat
   */
  record Crash(JobId job, String task, int crashes, int attempt, String holder, Duration silence) {}

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
  Decision onCrash(Crash crash);
}
