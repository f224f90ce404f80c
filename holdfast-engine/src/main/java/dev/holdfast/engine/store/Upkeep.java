package dev.holdfast.engine.store;

import java.time.Duration;

/** Making room, and throwing away what is past its time. */
public interface Upkeep {

  /**
   * How long things are kept.
   *
   * @param history ended jobs
   * @param deadLetter jobs that failed for good
   */
  record Retention(Duration history, Duration deadLetter) {}

  /** What one round threw away, and whether it stopped at a bound with more to do. */
  record Report(int partitionsDropped, long deadLettersPurged, long resultsDropped, boolean more) {}

  /** Do one bounded round of upkeep. Harmless to repeat, and by several nodes at once. */
  Report tidy(Retention retention);
}
