package dev.holdfast.api.schedule;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What becomes of due times that were missed, because no node was there to fire them.
 *
 * <p>A due time is missed when a later one has come due before it was fired, or when it is more
 * than a minute late.
 */
public sealed interface Misfire {

  /** Forget what was missed. */
  record Skip() implements Misfire {
    @Override
    public String toString() {
      return "SKIP";
    }
  }

  /** Let one firing, for the latest due time, stand for all that was missed. */
  record FireOnce() implements Misfire {
    @Override
    public String toString() {
      return "FIRE_ONCE";
    }
  }

  /** Fire the latest of what was missed, at most so many, the oldest of them first. */
  record CatchUp(int max) implements Misfire {
    private static final int MOST = 1_000;

    public CatchUp {
      if (max < 1 || max > MOST) {
        throw new IllegalArgumentException(
            "A schedule cannot catch up %d firings: give 1 to %d.".formatted(max, MOST));
      }
    }

    @Override
    public String toString() {
      return "CATCH_UP(%d)".formatted(max);
    }
  }

  Misfire SKIP = new Skip();

  Misfire FIRE_ONCE = new FireOnce();

  /** Fire at most so many of those that were missed. */
  static Misfire catchUp(int max) {
    return new CatchUp(max);
  }

  /** Read what {@code toString} writes. */
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
              "Misfire policy '%s' is not known: give SKIP, FIRE_ONCE or CATCH_UP(n), such as CATCH_UP(10)."
                  .formatted(text));
    };
  }
}
