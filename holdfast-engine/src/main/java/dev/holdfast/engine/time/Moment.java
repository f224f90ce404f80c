package dev.holdfast.engine.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A point on a monotonic clock, unrelated to the time of day.
 *
 * @param nanos nanoseconds since an arbitrary start
 */
public record Moment(long nanos) implements Comparable<Moment> {

  /** Later than every other moment: for a role that waits to be woken. */
  public static final Moment NEVER = new Moment(Long.MAX_VALUE);

  /** Returns the moment after the given duration; {@link #NEVER} if that is out of range. */
  public Moment plus(Duration duration) {
    long step = TimeUnit.NANOSECONDS.convert(duration); // Saturates for a longer duration.
    long sum = nanos + step;
    return step > 0 && sum < nanos ? NEVER : new Moment(sum);
  }

  /** Returns the duration from this moment to another; negative if that is earlier. */
  public Duration until(Moment later) {
    return Duration.ofNanos(later.nanos - nanos);
  }

  public boolean isBefore(Moment other) {
    return nanos < other.nanos;
  }

  public Moment earlier(Moment other) {
    return other.isBefore(this) ? other : this;
  }

  @Override
  public int compareTo(Moment other) {
    return Long.compare(nanos, other.nanos);
  }
}
