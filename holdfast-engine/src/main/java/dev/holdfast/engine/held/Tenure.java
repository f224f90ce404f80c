package dev.holdfast.engine.held;

import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * The time an incarnation is in office: until its deadline, which every beat moves on.
 *
 * <p>The deadline is reached before others may conclude from its silence that it is dead, because
 * it counts from <em>before</em> the last successful beat was sent and is shorter than the terms by
 * a margin. Whoever is about to do something that only the holder of a job may do asks {@link
 * #isOver} first, so it does not matter which thread wakes up first after a pause. Once over it
 * stays over.
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
   * @param allowed how long after a beat was sent the incarnation may go on
   * @param unseated whether it has no place any more, whatever its deadline says
   * @param sent when it was registered, from before that was sent
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

  /** Whether nothing may be done in the name of this incarnation any more. */
  public boolean isOver() {
    return over || !ticker.now().isBefore(deadline) || unseated.getAsBoolean();
  }

  /**
   * Whether the machine may have been asleep for as long as a tenure lasts: then nothing may begin
   * before a beat has been answered. A time of day that was set forward looks the same, and costs
   * no more than that beat.
   */
  public boolean isInDoubt() {
    return ticker.timeOfDay().isAfter(wallDeadline);
  }

  /**
   * Go on after a beat was answered.
   *
   * @param sent when it was sent
   * @param timeOfDay the time of day at that moment: the machine may have slept since
   * @return false if it was answered too late
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
   * End it.
   *
   * @return false if somebody else did before
   */
  public synchronized boolean end() {
    if (over) {
      return false;
    }
    over = true;
    return true;
  }
}
