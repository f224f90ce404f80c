package dev.holdfast.engine.store;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/** Creates partitions ahead of time, and deletes data that is past its retention. */
public interface Upkeep {

  /**
   * How long ended jobs are kept.
   *
   * @param history for ended jobs; at least an hour
   * @param deadLetter for dead-lettered jobs; at least an hour
   */
  record Retention(Duration history, Duration deadLetter) {
    private static final Duration SHORTEST = Duration.ofHours(1);

    public Retention {
      history = checked("Ended jobs", history);
      deadLetter = checked("Dead-lettered jobs", deadLetter);
    }

    /**
     * A client that awaits a job, or repeats a report of its end, must find it for some time after.
     */
    private static Duration checked(String what, Duration time) {
      if (time.compareTo(SHORTEST) < 0) {
        throw new IllegalArgumentException(
            "%s cannot be kept for %s: use at least %s, so that clients can still read how they ended."
                .formatted(what, Times.describe(time), Times.describe(SHORTEST)));
      }
      return Times.bounded(time);
    }
  }

  /** What one round deleted, and whether it stopped at a limit with more to do. */
  record Report(int partitionsDropped, long deadLettersPurged, long resultsDropped, boolean more) {}

  /**
   * Does one bounded round of upkeep. The call may be repeated, and made by several nodes at once.
   * A dead node is deleted a day after its death, and never while it holds a job. Records of
   * heartbeats are deleted when the time for which their node keeps them is over.
   */
  Report tidy(Retention retention);
}
