package dev.holdfast.api.policy;

import dev.holdfast.api.task.RecoveryPolicy;

/**
 * What becomes of a job whose node died while it ran. A job whose node died before it had started
 * is simply run elsewhere, whatever this says.
 *
 * @param action what to do
 * @param maxCrashes after how many crashes a job is dead-lettered as {@link
 *     FailureCode#WORKER_CRASHED}; defaults to 4. After the first crash a job runs again at once
 *     and at normal capacity, among the others that crashed with it. From the second crash on it is
 *     a crash suspect: it waits a while, nodes start such jobs slowly, and with one crash left it
 *     runs as the only crash suspect on its node. With less than 3, a job can be dead-lettered for
 *     a crash that another job caused.
 * @param maxFencings how many times its node may fence itself while the job runs before it is
 *     dead-lettered as {@link FailureCode#NODE_FENCED}; defaults to 5. Such a job may be what
 *     stalls its process.
 */
public record CrashPolicy(Action action, int maxCrashes, int maxFencings) {

  /** What to do. */
  public enum Action {
    /** Run it again: at once after the first crash, later and later after more. */
    RETRY,
    /** Dead-letter it, since running it twice would be worse. */
    FAIL,
    /**
     * Ask the {@link RecoveryPolicy} of a node that knows the task. While no such node lives, it is
     * done as for {@link #RETRY}.
     */
    ASK
  }

  private static final int MOST = 100;
  private static final int DEFAULT_FENCINGS = 5;

  /** Run it again, up to four crashes. */
  public static final CrashPolicy DEFAULT = retry(4);

  public CrashPolicy {
    if (maxCrashes < 1 || maxCrashes > MOST) {
      throw new IllegalArgumentException(
          "%d crashes are not a valid budget: give 1 to %d.".formatted(maxCrashes, MOST));
    }
    if (maxFencings < 1 || maxFencings > MOST) {
      throw new IllegalArgumentException(
          "%d fencings are not a valid budget: give 1 to %d.".formatted(maxFencings, MOST));
    }
  }

  /** A policy with the default budget of fencings. */
  public CrashPolicy(Action answer, int maxCrashes) {
    this(answer, maxCrashes, DEFAULT_FENCINGS);
  }

  /** Run it again until it has crashed this often. */
  public static CrashPolicy retry(int maxCrashes) {
    return new CrashPolicy(Action.RETRY, maxCrashes);
  }

  /** Never run it again. */
  public static CrashPolicy fail() {
    return new CrashPolicy(Action.FAIL, 1);
  }

  /** Let the task's own {@link RecoveryPolicy} decide. */
  public static CrashPolicy decidedByTask() {
    return new CrashPolicy(Action.ASK, DEFAULT.maxCrashes);
  }

  /** The same policy with another budget of fencings. */
  public CrashPolicy withMaxFencings(int fencings) {
    return new CrashPolicy(action, maxCrashes, fencings);
  }
}
