package dev.holdfast.engine.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A deadline that several waits share. Measures real time: only threads can wait for it. */
public final class Deadline {
  private static final long GLANCE = Duration.ofMillis(5).toNanos();

  private final long nanos;

  private Deadline(long nanos) {
    this.nanos = nanos;
  }

  /** Returns a deadline after the given time from now; a time that is too long is capped. */
  public static Deadline in(Duration time) {
    long wait = Math.min(TimeUnit.NANOSECONDS.convert(time), Long.MAX_VALUE / 2);
    return new Deadline(System.nanoTime() + wait);
  }

  public Deadline earlier(Deadline other) {
    return nanos - other.nanos <= 0 ? this : other;
  }

  public boolean isOver() {
    return System.nanoTime() - nanos >= 0;
  }

  /**
   * Waits until a condition holds or the deadline is over. Interruption does not end the wait; the
   * interrupt status is restored for the caller.
   *
   * @return whether the condition holds
   */
  public boolean await(BooleanSupplier condition) {
    boolean interrupted = false;
    boolean holds = condition.getAsBoolean();
    while (!holds && !isOver()) {
      LockSupport.parkNanos(this, GLANCE);
      interrupted |= Thread.interrupted(); // Otherwise park would return at once from now on.
      holds = condition.getAsBoolean();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return holds;
  }
}
