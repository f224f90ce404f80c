package dev.holdfast.api.schedule;

import dev.holdfast.api.internal.Times;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;

/** When a schedule is due: by a cron expression, or at an interval. */
public sealed interface Timing {

  /**
   * A cron expression. If the clock is set forward, a skipped time is due when the gap starts; if
   * it is set back, a repeated time is due only the first time, unless the hour field is {@code *}.
   *
   * @param expression five fields (minute, hour, day of month, month, day of week), or six with
   *     seconds in front
   * @param zone the time zone in which the expression is evaluated
   */
  record Cron(String expression, ZoneId zone) implements Timing {
    /** Checks the length of the expression. */
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

  /**
   * An interval between due times.
   *
   * @param interval 1 millisecond to 3650 days
   */
  record Every(Duration interval) implements Timing {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(3_650);

    /**
     * Checks the interval.
     *
     * @throws IllegalArgumentException if it is too short or too long
     */
    public Every {
      // A time plus the interval must remain a time that a database can store.
      if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "An interval of %s is not valid: give a positive duration, at least %s and at most %s."
                .formatted(
                    Times.describe(interval), Times.describe(SHORTEST), Times.describe(LONGEST)));
      }
    }

    @Override
    public String toString() {
      return "every " + interval;
    }
  }

  /**
   * Parses a timing as written by {@code toString}: {@code cron EXPRESSION in ZONE} or {@code every
   * DURATION}.
   *
   * @throws IllegalArgumentException if the text is not a timing
   */
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

  /**
   * Parses the name of a time zone.
   *
   * @throws IllegalArgumentException if the time zone does not exist
   */
  static ZoneId zone(String name) {
    try {
      return ZoneId.of(name);
    } catch (DateTimeException unknown) {
      throw new IllegalArgumentException(
          "Time zone '%s' does not exist: give a name such as Europe/Berlin, or UTC."
              .formatted(name),
          unknown);
    }
  }

  /**
   * Parses an ISO-8601 duration.
   *
   * @param what the name of the value, for the message of the exception
   * @throws IllegalArgumentException if the text is not a duration
   */
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
