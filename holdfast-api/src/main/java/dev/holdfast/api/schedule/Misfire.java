package dev.holdfast.api.schedule;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What happens to due times that were missed because no node was running.
 *
 * <p>A due time is missed if it was not fired before the next one, or if it is more than a minute
 * late.
 */
public sealed interface Misfire {

  /** Creates no jobs for missed due times. */
  record Skip() implements Misfire {
    @Override
    public String toString() {
      return "SKIP";
    }
  }

  /** Creates one job, for the latest of the missed due times. */
  record FireOnce() implements Misfire {
    @Override
    public String toString() {
      return "FIRE_ONCE";
    }
  }

  /**
   * Creates a job for each of the latest missed due times, oldest first.
   *
   * @param max how many jobs at most, 1 to 1000
   */
  record CatchUp(int max) implements Misfire {
    private static final int MOST = 1_000;

    /**
     * Checks the maximum.
     *
     * @throws IllegalArgumentException if it is not in 1 to 1000
     */
    public CatchUp {
      if (max < 1 || max > MOST) {
        throw new IllegalArgumentException(
            "A schedule cannot catch up on %d due times: give 1 to %d.".formatted(max, MOST));
      }
    }

    @Override
    public String toString() {
      return "CATCH_UP(%d)".formatted(max);
    }
  }

  /** Creates no jobs for missed due times. */
  Misfire SKIP = new Skip();

  /** Creates one job, for the latest of the missed due times. */
  Misfire FIRE_ONCE = new FireOnce();

  /**
   * Returns a policy that creates a job for each of the latest missed due times, oldest first. More
   * than one requires {@link Overlap#ALLOW}.
   *
   * @param max how many jobs at most, 1 to 1000
   */
  static Misfire catchUp(int max) {
    return new CatchUp(max);
  }

  /**
   * Parses a policy as written by {@code toString}: SKIP, FIRE_ONCE or CATCH_UP(n).
   *
   * @throws IllegalArgumentException if the text is not a policy
   */
  static Misfire parse(String text) {
    Matcher catchUp = Pattern.compile("CATCH_UP\\((\\d{1,9})\\)").matcher(text);
    if (catchUp.matches()) {
      return new CatchUp(Integer.parseInt(catchUp.group(1)));
    }
    return switch (text) {
      case "SKIP" -> SKIP;
      case "FIRE_ONCE" -> FIRE_ONCE;
      default ->
          throw new IllegalArgumentException(
              "Misfire policy '%s' does not exist: give SKIP, FIRE_ONCE or CATCH_UP(n), such as CATCH_UP(10)."
                  .formatted(text));
    };
  }
}
