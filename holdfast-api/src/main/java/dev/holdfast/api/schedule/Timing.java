package dev.holdfast.api.schedule;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;

/** By which rhythm a schedule is due. */
public sealed interface Timing {

  /**
   * At the times of a cron expression, on the clocks of a zone.
   *
   * @param expression five fields (minute, hour, day of month, month, day of week), or six with
   *     seconds in front
   */
  record Cron(String expression, ZoneId zone) implements Timing {
    public Cron {
      if (expression.isBlank() || expression.length() > 256) {
        throw new IllegalArgumentException(
            "Cron expression '%s' is not valid: give five fields such as 0 3 * * *, or six with seconds in front."
                .formatted(expression));
      }
    }

    @Override
    public String toString() {
      return "cron %s in %s".formatted(expression, zone);
    }
  }

  /** Again and again after the same time. */
  record Every(Duration interval) implements Timing {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(3_650);

    public Every {
      // Its sum with a time must stay a time that a database can store.
      if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "An interval of %s is not valid: give a positive duration, at least %s and at most %d days."
                .formatted(interval, SHORTEST, LONGEST.toDays()));
      }
    }

    @Override
    public String toString() {
      return "every " + interval;
    }
  }

  /** Read what {@code toString} writes. */
  static Timing parse(String text) {
    if (text.startsWith("every ")) {
      return new Every(duration("Interval", text.substring("every ".length())));
    }
    int in = text.lastIndexOf(" in ");
    if (text.startsWith("cron ") && in > 0) {
      return new Cron(
          text.substring("cron ".length(), in), zone(text.substring(in + " in ".length())));
    }
    throw new IllegalArgumentException(
        "Timing '%s' is not valid: give 'cron EXPRESSION in ZONE' or 'every DURATION'."
            .formatted(text));
  }

  /** The zone of this name, or a sentence that says what is wrong with it. */
  static ZoneId zone(String name) {
    try {
      return ZoneId.of(name);
    } catch (DateTimeException unknown) {
      throw new IllegalArgumentException(
          "Time zone '%s' is not known: give a name such as Europe/Berlin, or UTC.".formatted(name),
          unknown);
    }
  }

  /** A duration from text, or a sentence that says what is wrong with it. */
  static Duration duration(String what, String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException wrong) {
      throw new IllegalArgumentException(
          "%s '%s' is not valid: give an ISO-8601 duration such as PT5M or P1D."
              .formatted(what, text),
          wrong);
    }
  }
}
