package dev.holdfast.engine.held;

import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * The time in which an incarnation may act: until its deadline, which every successful heartbeat
 * extends.
 *
 * <p>The deadline is reached before other nodes may conclude from its silence that the incarnation
 * is dead, because it counts from <em>before</em> the last successful heartbeat was sent and is
 * shorter than the timeout by a margin. All code that does something that only the holder of a job
 * may do calls {@link #isOver} first, so it does not matter which thread resumes first after a
 * pause. A tenure that is over stays over.
 */
public final class Tenure {
  private final UUID incarnation;
  private final Ticker ticker;
  private final Duration allowed;
  private final BooleanSupplier unseated;
  private volatile Moment deadline;
  private volatile Instant wallDeadline;
  private volatile boolean over;

  /**
   * @param allowed how long after a heartbeat was sent the incarnation may act
   * @param unseated whether the incarnation must stop, whatever its deadline says
   * @param sent when it was registered: the time before the registration was sent
   */
  public Tenure(
      UUID incarnation, Ticker ticker, Duration allowed, BooleanSupplier unseated, Moment sent) {
    this.incarnation = incarnation;
    this.ticker = ticker;
    this.allowed = allowed;
    this.unseated = unseated;
    this.deadline = sent.plus(allowed);
    this.wallDeadline = ticker.timeOfDay().plus(allowed);
  }

  public UUID incarnation() {
    return incarnation;
  }

  public Moment deadline() {
    return deadline;
  }

  /** Returns whether this incarnation must not act any more. */
  public boolean isOver() {
    return over || !ticker.now().isBefore(deadline) || unseated.getAsBoolean();
  }

  /**
   * Returns whether the machine may have been asleep for as long as a tenure lasts: then nothing
   * may start before a heartbeat has succeeded. A wall clock that was set forward looks the same,
   * and costs no more than that heartbeat.
   */
  public boolean isInDoubt() {
    return ticker.timeOfDay().isAfter(wallDeadline);
  }

  /**
   * Extends the tenure after a heartbeat has succeeded.
   *
   * @param sent when the heartbeat was sent
   * @param timeOfDay the wall-clock time at that moment: the machine may have slept since
   * @return false if the reply came too late
   */
  public synchronized boolean extend(Moment sent, Instant timeOfDay) {
    if (isOver()) {
      return false;
    }
    deadline = sent.plus(allowed);
    wallDeadline = timeOfDay.plus(allowed);
    return true;
  }

  /**
   * Ends the tenure.
   *
   * @return false if it had already been ended
   */
  public synchronized boolean end() {
    if (over) {
      return false;
    }
    over = true;
    return true;
  }
}
