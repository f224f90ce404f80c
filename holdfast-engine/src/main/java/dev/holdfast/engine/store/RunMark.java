package dev.holdfast.engine.store;

/**
 * A note that something happened to a run, written in the transaction in which it happened. The
 * next advance applies and deletes it.
 *
 * @param kind what happened
 * @param step the step that it happened to; negative for the run as a whole
 * @param succeeded how many jobs or child runs of the step succeeded
 * @param failed how many failed or expired
 * @param cancelled how many were cancelled
 */
public record RunMark(Kind kind, int step, int succeeded, int failed, int cancelled) {

  /** What happened. */
  public enum Kind {
    /** Jobs or child runs of a step ended. */
    ENDED,
    /** The time of a step that sleeps is over. */
    SLEPT,
    /** The timeout of a step is over. */
    TIMED_OUT,
    /** The deadline of the run is over. */
    DEADLINE,
    /** A signal arrived, or the run was resumed, retried or let through its gate. */
    LOOK
  }

  /**
   * The step of the LOOK mark that a run gets when its gate lets it through: with the advance that
   * applies it the run starts.
   */
  public static final int ADMITTED = -2;

  /** Returns whether the run starts with the advance that applies this mark. */
  public boolean isAdmission() {
    return kind == Kind.LOOK && step == ADMITTED;
  }

  /** Returns a mark without counts. */
  public static RunMark of(Kind kind, int step) {
    return new RunMark(kind, step, 0, 0, 0);
  }
}
