package dev.holdfast.engine.store;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/** Making room, and throwing away what is past its time. */
public interface Upkeep {

  /**
   * How long things are kept.
   *
   * @param history ended jobs, for an hour or longer
   * @param deadLetter jobs that failed for good, for an hour or longer
   */
  record Retention(Duration history, Duration deadLetter) {
    private static final Duration SHORTEST = Duration.ofHours(1);

    public Retention {
      history = checked("Ended jobs", history);
      deadLetter = checked("Dead letters", deadLetter);
    }

    /** Who awaits a job, or repeats a report of its end, must find it some time after that. */
    private static Duration checked(String what, Duration time) {
      if (time.compareTo(SHORTEST) < 0) {
        throw new IllegalArgumentException(
            "%s cannot be kept for %s: give at least %s, in which callers can learn how they ended."
                .formatted(what, time, SHORTEST));
      }
      return Times.bounded(time);
    }
  }

  /** What one round threw away, and whether it stopped at a bound with more to do. */
  record Report(int partitionsDropped, long deadLettersPurged, long resultsDropped, boolean more) {}

  /**
   * Do one bounded round of upkeep. Harmless to repeat, and by several nodes at once. A node that
   * is dead is forgotten a day later, and never while it holds a job.
   */
  Report tidy(Retention retention);
}
