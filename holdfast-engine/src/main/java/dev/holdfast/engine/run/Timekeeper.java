package dev.holdfast.engine.run;

import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts attempts that take longer than their timeout. One that ignores the interrupt is given
 * up after a while: its job goes on by its retry policy, its slot stays taken until its thread
 * ends.
 */
public final class Timekeeper implements Role {
  private static final Logger log = LoggerFactory.getLogger(Timekeeper.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /**
   * When to look at a job. Alarms of jobs that end in time are taken back, or they would pile up.
   *
   * @param last whether the attempt was interrupted for its timeout before
   */
  record Alarm(Moment at, long number, Holding holding, boolean last) {}

  private static final Comparator<Alarm> BY_TIME =
      Comparator.comparing(Alarm::at).thenComparingLong(Alarm::number);

  private final String node;
  private final Holdings holdings;
  private final FinishSink sink;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final TreeSet<Alarm> alarms = new TreeSet<>(BY_TIME);
  private long lastNumber;
  private volatile Waker waker = () -> {};

  public Timekeeper(
      String node, Holdings holdings, FinishSink sink, Ticker ticker, RandomGenerator random) {
    this.node = node;
    this.holdings = holdings;
    this.sink = sink;
    this.ticker = ticker;
    this.random = random;
  }

  /** Who to wake when an alarm is set that rings before all others. */
  public void wokenBy(Waker driver) {
    this.waker = driver;
  }

  @Override
  public String name() {
    return "timekeeper";
  }

  /** Interrupt this attempt when its timeout is over, unless {@link #forget} comes first. */
  Alarm watch(Holding holding, Duration timeout) {
    Alarm alarm;
    boolean first;
    synchronized (alarms) {
      alarm = new Alarm(ticker.now().plus(timeout), ++lastNumber, holding, false);
      alarms.add(alarm);
      first = alarms.first().number() == alarm.number();
    }
    if (first) {
      waker.wake();
    }
    return alarm;
  }

  void forget(Alarm alarm) {
    synchronized (alarms) {
      alarms.remove(alarm);
    }
  }

  @Override
  public Moment tick(Moment now) {
    while (true) {
      Alarm due;
      synchronized (alarms) {
        if (alarms.isEmpty()) {
          return Moment.NEVER;
        }
        due = alarms.first();
        if (now.isBefore(due.at())) {
          return due.at();
        }
        alarms.remove(due);
      }
      ring(due, now);
    }
  }

  /** One that was told to stop for another reason, and does not, is given up all the same. */
  private void ring(Alarm alarm, Moment now) {
    Holding holding = alarm.holding();
    if (holding.hasEnded() || holding.stopReason() == StopReason.CLAIM_LOST) {
      return;
    }
    if (alarm.last()) {
      giveUp(holding);
    } else {
      log.warn(
          "Job {} of {} exceeds its timeout of {}; it is interrupted",
          holding.job().id(),
          holding.job().task(),
          holding.policy().timeout());
      holding.stop(StopReason.TIMED_OUT);
      synchronized (alarms) {
        alarms.add(new Alarm(now.plus(PATIENCE), ++lastNumber, holding, true));
      }
    }
  }

  private void giveUp(Holding holding) {
    if (holding.settle()) {
      holdings.addRunaway(holding);
      log.error(
          "Job {} of {} ignores its interrupt; the attempt is given up and its slot stays taken"
              + " until its thread ends",
          holding.job().id(),
          holding.job().task());
      sink.finish(holding, Runner.timedOut(holding, node, random.nextDouble()));
    }
  }
}
