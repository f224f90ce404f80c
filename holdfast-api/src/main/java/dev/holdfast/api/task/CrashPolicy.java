package dev.holdfast.api.task;

/**
 * What becomes of a job whose node died while it ran. A job whose node died before it had begun is
 * simply run elsewhere, whatever this says.
 *
 * @param answer what to do
 * @param maxCrashes with how many crashes on its record a job is dead-lettered; defaults to 3
 */
public record CrashPolicy(Answer answer, int maxCrashes) {

  /** What to do. */
  public enum Answer {
    /** Run it again: at once after the first crash, later and later after more. */
    RETRY,
    /** Put it into the dead letter, since running it twice would be worse. */
    FAIL,
    /**
     * Ask the {@link RecoveryPolicy} of a node that knows the task. While no such node lives, it is
     * done as for {@link #RETRY}.
     */
    ASK
  }

  private static final int MOST_CRASHES = 100;

  /** Run it again, up to three crashes. */
  public static final CrashPolicy DEFAULT = retry(3);

  public CrashPolicy {
    if (maxCrashes < 1 || maxCrashes > MOST_CRASHES) {
      throw new IllegalArgumentException(
          "%d crashes are not a valid budget: give 1 to %d.".formatted(maxCrashes, MOST_CRASHES));
    }
  }

  /** Run it again until it has so many crashes on its record. */
  public static CrashPolicy retry(int maxCrashes) {
    return new CrashPolicy(Answer.RETRY, maxCrashes);
  }

  /** Never run it again. */
  public static CrashPolicy fail() {
    return new CrashPolicy(Answer.FAIL, 1);
  }

  /** Let the task's own {@link RecoveryPolicy} decide. */
  public static CrashPolicy ask() {
    return new CrashPolicy(Answer.ASK, DEFAULT.maxCrashes);
  }
}
