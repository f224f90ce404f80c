package dev.holdfast.api.policy;

import dev.holdfast.api.task.RecoveryPolicy;

/**
 * What happens to a job whose node died while the job was running. A job that was claimed but not
 * started is always run by another node, whatever its policy.
 *
 * @param action what to do
 * @param maxCrashes at which crash the job is dead-lettered as {@link FailureCode#WORKER_CRASHED};
 *     defaults to 4. After the first crash the job runs again immediately and at normal capacity,
 *     together with the other jobs of the dead node. From the second crash on it is a crash
 *     suspect: it waits for a while, nodes start crash suspects slowly, and with one crash left it
 *     runs as the only crash suspect on its node. With fewer than 3, a job can be dead-lettered for
 *     a crash that another job caused
 * @param maxFencings at which fencing the job is dead-lettered as {@link FailureCode#NODE_FENCED};
 *     defaults to 5. A fencing counts if the node fenced itself while the job was running, because
 *     the job may be what stalls the process
 */
public record CrashPolicy(Action action, int maxCrashes, int maxFencings) {

  /** What to do with a job whose node died while the job was running. */
  public enum Action {
    /** Runs the job again: immediately after the first crash, with growing delays after more. */
    RETRY,
    /** Dead-letters the job, because executing it twice would be worse. */
    FAIL,
    /**
     * Asks the {@link RecoveryPolicy} of the task, on a live node that has one and recovers running
     * jobs. While there is no such node, the job waits for one. If there has been none for 5
     * minutes (a setting of nodes, {@code awaitRecoveryPolicy}), the next sweep dead-letters the
     * job, because executing it again may be what the policy would have prevented.
     */
    DECIDED_BY_TASK
  }

  private static final int MOST = 100;
  private static final int DEFAULT_FENCINGS = 5;

  /** Runs the job again, and dead-letters it at its fourth crash. */
  public static final CrashPolicy DEFAULT = retry(4);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if a value is not in 1 to 100
   */
  public CrashPolicy {
    if (maxCrashes < 1 || maxCrashes > MOST) {
      throw new IllegalArgumentException(
          "A maximum of %d crashes is not valid: give 1 to %d.".formatted(maxCrashes, MOST));
    }
    if (maxFencings < 1 || maxFencings > MOST) {
      throw new IllegalArgumentException(
          "A maximum of %d fencings is not valid: give 1 to %d.".formatted(maxFencings, MOST));
    }
  }

  /** Creates a policy with the default maximum of 5 fencings. */
  public CrashPolicy(Action action, int maxCrashes) {
    this(action, maxCrashes, DEFAULT_FENCINGS);
  }

  /**
   * Returns a policy that runs the job again, and dead-letters it at the given crash. Use it for
   * tasks that can safely be executed more than once.
   *
   * @param maxCrashes 1 to 100; with fewer than 3, a job can be dead-lettered for a crash that
   *     another job caused
   */
  public static CrashPolicy retry(int maxCrashes) {
    return new CrashPolicy(Action.RETRY, maxCrashes);
  }

  /**
   * Returns a policy that dead-letters the job at its first crash. Use it for tasks that must not
   * be executed twice.
   */
  public static CrashPolicy fail() {
    return new CrashPolicy(Action.FAIL, 1);
  }

  /**
   * Returns a policy that lets the {@link RecoveryPolicy} of the task decide, which is registered
   * on nodes together with the handler. If no live node has one, the job is dead-lettered after a
   * while: see {@link Action#DECIDED_BY_TASK}.
   */
  public static CrashPolicy decidedByTask() {
    return new CrashPolicy(Action.DECIDED_BY_TASK, DEFAULT.maxCrashes);
  }

  /**
   * Returns this policy with another maximum of fencings. A low maximum dead-letters a job that
   * stalls its process sooner, but also jobs that only ran beside it. Defaults to 5.
   *
   * @param fencings 1 to 100
   */
  public CrashPolicy withMaxFencings(int fencings) {
    return new CrashPolicy(action, maxCrashes, fencings);
  }
}
