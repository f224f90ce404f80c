package dev.holdfast.api.internal;

import java.time.Duration;
import java.time.Instant;

/**
 * Checks durations and times.
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
          "%s of %s is not valid: give a positive duration.".formatted(what, time));
    }
    return bounded(time);
  }

  /** Returns the {@linkplain #bounded bounded} duration, or throws if it is negative. */
  public static Duration notNegative(String what, Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "%s of %s is not valid: give zero or a positive duration.".formatted(what, time));
    }
    return bounded(time);
  }

  /** Returns whether a store can keep this time. */
  public static boolean isStorable(Instant time) {
    return !time.isBefore(EARLIEST) && !time.isAfter(LATEST);
  }
}
