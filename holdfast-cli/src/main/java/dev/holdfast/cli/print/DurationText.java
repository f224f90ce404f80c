package dev.holdfast.cli.print;

import java.time.Duration;

/** Formats durations with their two largest units, such as 4m05s or 2d03h. */
public final class DurationText {

  private DurationText() {}

  public static String of(Duration age) {
    long seconds = age.toSeconds();
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return "%dm%02ds".formatted(seconds / 60, seconds % 60);
    }
    if (seconds < 86_400) {
      return "%dh%02dm".formatted(seconds / 3600, seconds % 3600 / 60);
    }
    return "%dd%02dh".formatted(seconds / 86_400, seconds % 86_400 / 3600);
  }
}
