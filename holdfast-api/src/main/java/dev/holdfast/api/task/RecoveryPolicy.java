package dev.holdfast.api.task;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import java.time.Duration;

/**
 * Decides what becomes of a job whose node died while it ran. It is asked by a node that recovers
 * the job, which need not be the one that will run it, and must decide within 5 seconds.
 *
 * <p>One that throws, returns null or takes longer is asked again at the next sweep. After the
 * third time the job is dead-lettered as {@link FailureCode#WORKER_CRASHED}.
 */
@FunctionalInterface
public interface RecoveryPolicy {

  /**
   * What is known of the job.
   *
   * @param crashes how many crashes it has on its record, this one included
   * @param attempt how many attempts were begun and count
   * @param holder the node that died
   * @param silence how long that node had been silent
   */
  record Crash(JobId job, String task, int crashes, int attempt, String holder, Duration silence) {}

  /** What to do with it. */
  sealed interface Decision {
    /** Run it again after a delay. */
    record RunAgain(Duration delay) implements Decision {}

    /** Put it into the dead letter. */
    record Fail(String reason) implements Decision {}
  }

  Decision onCrash(Crash crash);
}
