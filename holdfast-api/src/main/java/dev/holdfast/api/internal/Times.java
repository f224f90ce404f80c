package dev.holdfast.api.internal;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.StringJoiner;

/**
 * Checks durations and times, and writes durations into logs and errors.
 *
 * <p>A duration can have any length. One of more than a thousand years counts as a thousand years,
 * which every store can add to a time or subtract from it. So {@code
 * ChronoUnit.FOREVER.getDuration()} can be used for every duration.
 */
public final class Times {
  /** The longest duration; longer ones are shortened to it. */
  public static final Duration LONGEST = Duration.ofDays(365_000);

  /** The earliest time that can be stored. */
  public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  /** The latest time that can be stored. */
  public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  private Times() {}

  /** Returns the duration, shortened to {@link #LONGEST} if it is longer. */
  public static Duration bounded(Duration time) {
    return time.compareTo(LONGEST) > 0 ? LONGEST : time;
  }

  /** Returns the {@linkplain #bounded bounded} duration, or throws if it is not positive. */
  public static Duration positive(String what, Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(
          "%s of %s is not valid: give a positive duration.".formatted(what, describe(time)));
    }
    return bounded(time);
  }

  /** Returns the {@linkplain #bounded bounded} duration, or throws if it is negative. */
  public static Duration notNegative(String what, Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "%s of %s is not valid: give zero or a positive duration."
              .formatted(what, describe(time)));
    }
    return bounded(time);
  }

  /**
   * Returns a duration as logs and errors show it, such as {@code 250 ms}, {@code 2.5 s} or {@code
   * 1 h 30 min}. Fractions of a millisecond are shown only below one millisecond.
   */
  public static String describe(Duration time) {
    if (time.isNegative()) {
      // The longest negative duration has no positive counterpart.
      return "-" + describe(time.toSeconds() == Long.MIN_VALUE ? LONGEST : time.negated());
    }
    if (time.compareTo(Duration.ofSeconds(1)) < 0) {
      long nanos = time.toNanosPart();
      return time.isZero()
          ? "0 s"
          : plain(nanos < 1_000_000 ? nanos : nanos / 1_000_000 * 1_000_000, 6) + " ms";
    }
    StringJoiner parts = new StringJoiner(" ");
    add(parts, time.toDaysPart(), time.toDaysPart() == 1 ? "day" : "days");
    add(parts, time.toHoursPart(), "h");
    add(parts, time.toMinutesPart(), "min");
    long millis = time.toSecondsPart() * 1_000L + time.toMillisPart();
    if (millis > 0) {
      parts.add(plain(millis, 3) + " s");
    }
    return parts.toString();
  }

  private static void add(StringJoiner parts, long count, String unit) {
    if (count > 0) {
      parts.add(count + " " + unit);
    }
  }

  /** Returns a decimal number without zeros at its end. */
  private static String plain(long unscaled, int decimals) {
    return BigDecimal.valueOf(unscaled, decimals).stripTrailingZeros().toPlainString();
  }

  /** Returns whether a store can keep this time. */
  public static boolean isStorable(Instant time) {
    return !time.isBefore(EARLIEST) && !time.isAfter(LATEST);
  }
}
