package dev.holdfast.api.internal;

import java.time.Duration;
import java.time.Instant;

/**
 * The one place that knows which times are good.
 *
 * <p>A duration may be as long as one likes: beyond a thousand years it counts as a thousand years,
 * which nobody outlives and every store can still add to a time or take from it. So {@code
 * ChronoUnit.FOREVER.getDuration()} means for ever wherever a duration is wanted.
 */
public final class Times {
  /** What everything longer counts as. */
  public static final Duration FOR_EVER = Duration.ofDays(365_000);

  /** The earliest time that is stored. */
  public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  /** The latest time that is stored. */
  public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  private Times() {}

  /** Return a duration that sums can be made of. */
  public static Duration bounded(Duration time) {
    return time.compareTo(FOR_EVER) > 0 ? FOR_EVER : time;
  }

  /** Return a duration that sums can be made of, or say that it must be positive. */
  public static Duration positive(String what, Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(
          "%s of %s is not valid: give a positive duration.".formatted(what, time));
    }
    return bounded(time);
  }

  /** Return a duration that sums can be made of, or say that it must not be negative. */
  public static Duration notNegative(String what, Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "%s of %s is not valid: give zero or a positive duration.".formatted(what, time));
    }
    return bounded(time);
  }

  /** Whether a store can keep this time. */
  public static boolean isStorable(Instant time) {
    return !time.isBefore(EARLIEST) && !time.isAfter(LATEST);
  }
}
