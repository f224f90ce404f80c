package dev.holdfast.engine.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The end of a time that several waits share. Counts real time: only threads can wait for it. */
public final class Deadline {
  private static final long GLANCE = Duration.ofMillis(5).toNanos();

  private final long nanos;

  private Deadline(long nanos) {
    this.nanos = nanos;
  }

  /** The end of a time that starts now; one that does not fit ends as late as possible. */
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
   * Waits until a condition holds or the time is over. An interrupt does not end the wait; it is
   * kept for the caller.
   *
   * @return whether the condition holds
   */
  public boolean await(BooleanSupplier condition) {
    boolean interrupted = false;
    boolean holds = condition.getAsBoolean();
    while (!holds && !isOver()) {
      LockSupport.parkNanos(this, GLANCE);
      interrupted |= Thread.interrupted(); // Or park would return at once from now on.
      holds = condition.getAsBoolean();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return holds;
  }
}
