package dev.holdfast.engine.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A point on a clock that only moves forward and has nothing to do with the time of day.
 *
 * @param nanos nanoseconds since an arbitrary start
 */
public record Moment(long nanos) implements Comparable<Moment> {

  /** Later than everything: for a role that waits to be woken. */
  public static final Moment NEVER = new Moment(Long.MAX_VALUE);

  /** This much later; never, where that is farther than moments reach. */
  public Moment plus(Duration duration) {
    long step = TimeUnit.NANOSECONDS.convert(duration); // The longest there is if it is longer.
    long sum = nanos + step;
    return step > 0 && sum < nanos ? NEVER : new Moment(sum);
  }

  /** How long from this moment to a later one; negative if that one has passed. */
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
