package dev.holdfast.engine.held;

import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

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
  /** By which part of a tenure the clocks may differ because the wall clock is being adjusted. */
  private static final int TOLERANCE = 100;

  private final UUID incarnation;
  private final Ticker ticker;
  private final Duration allowed;
  private final BooleanSupplier unseated;
  private final @Nullable Tenure within;
  private volatile Sent lastSent;
  private volatile boolean over;

  /**
   * @param allowed how long after a heartbeat was sent the incarnation may act
   * @param unseated whether the incarnation must stop, whatever its deadline says
   * @param sent when it was registered: the time before the registration was sent
   */
  public Tenure(
      UUID incarnation, Ticker ticker, Duration allowed, BooleanSupplier unseated, Moment sent) {
    this(incarnation, ticker, allowed, unseated, sent, null);
  }

  /**
   * Creates a tenure inside another one.
   *
   * @param within the tenure of the process, whose heartbeat proves for all of its incarnations
   *     that they are alive: when it is over, this one is over too; null if there is none
   */
  public Tenure(
      UUID incarnation,
      Ticker ticker,
      Duration allowed,
      BooleanSupplier unseated,
      Moment sent,
      @Nullable Tenure within) {
    this.within = within;
    this.incarnation = incarnation;
    this.ticker = ticker;
    this.allowed = allowed;
    this.unseated = unseated;
    this.lastSent = new Sent(sent, ticker.timeOfDay());
  }

  /** When the last successful heartbeat was sent, by both clocks. */
  private record Sent(Moment moment, Instant timeOfDay) {}

  public UUID incarnation() {
    return incarnation;
  }

  public Moment deadline() {
    return lastSent.moment().plus(allowed);
  }

  /** Returns how long this incarnation may act without another heartbeat; zero if it may not. */
  public Duration left() {
    long nanos = isOver() ? 0 : deadline().nanos() - ticker.now().nanos();
    return Duration.ofNanos(Math.max(0, nanos));
  }

  /** Returns whether this incarnation must not act any more. */
  public boolean isOver() {
    return over
        || !ticker.now().isBefore(deadline())
        || unseated.getAsBoolean()
        || (within != null && within.isOver());
  }

  /**
   * Returns whether the machine may have been suspended since the last successful heartbeat: the
   * monotonic clock stood still meanwhile, so the deadline is later than it should be, and nothing
   * may start before another heartbeat has succeeded. A wall clock that was set forward looks the
   * same, and costs no more than that heartbeat.
   */
  public boolean isInDoubt() {
    if (within != null && within.isInDoubt()) {
      return true;
    }
    Sent sent = lastSent;
    Duration awake = Duration.ofNanos(ticker.now().nanos() - sent.moment().nanos());
    Duration passed = Duration.between(sent.timeOfDay(), ticker.timeOfDay());
    return passed.minus(awake).compareTo(allowed.dividedBy(TOLERANCE)) > 0;
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
    lastSent = new Sent(sent, timeOfDay);
    return true;
  }

  /** Returns whether {@link #end} was called, and not only the deadline reached. */
  public boolean hasEnded() {
    return over;
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
