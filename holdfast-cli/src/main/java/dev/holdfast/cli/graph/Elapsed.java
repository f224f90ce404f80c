package dev.holdfast.cli.graph;

import dev.holdfast.cli.print.DurationText;
import java.time.Duration;
import java.util.Locale;

/** Formats how long something took: short times precisely, such as 12ms or 3.4s. */
public final class Elapsed {
  private static final Duration LONG = Duration.ofMinutes(1);

  private Elapsed() {}

  /** Returns the text; a negative duration, by clocks that differ, counts as none. */
  public static String of(Duration time) {
    if (time.isNegative()) {
      return "0ms";
    }
    if (time.compareTo(LONG) >= 0) {
      return DurationText.of(time);
    }
    return time.toMillis() < 1_000
        ? time.toMillis() + "ms"
        : String.format(Locale.ROOT, "%.1fs", time.toMillis() / 1_000.0);
  }
}
