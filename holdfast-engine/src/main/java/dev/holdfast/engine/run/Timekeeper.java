package dev.holdfast.engine.run;

import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts attempts that take longer than their timeout, or give no sign of getting on for longer
 * than their heartbeat timeout. One that ignores the interrupt is given up after a while: its job
 * goes on by its retry policy, its slot stays taken until its thread ends.
 */
public final class Timekeeper implements Role {
  private static final Logger log = LoggerFactory.getLogger(Timekeeper.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** An attempt that is looked at now and then. What changes is guarded by the alarms. */
  static final class Watch {
    private final Holding holding;
    private final Moment deadline;
    private @Nullable Alarm alarm;
    private boolean forgotten;

    /** Why it was interrupted; null while it has time. Only the tick looks at it. */
    private @Nullable StopReason interruptedFor;

    private Watch(Holding holding, Moment deadline) {
      this.holding = holding;
      this.deadline = deadline;
    }

    /** When it must have given a sign. A sign puts that off, and moves no alarm. */
    private Moment silentBy() {
      Duration longest = holding.policy().heartbeatTimeout();
      return longest == null ? Moment.NEVER : holding.lastSign().plus(longest);
    }

    private Moment nextLook() {
      return deadline.earlier(silentBy());
    }

    private @Nullable StopReason over(Moment now) {
      if (!now.isBefore(deadline)) {
        return StopReason.TIMED_OUT;
      }
      return now.isBefore(silentBy()) ? null : StopReason.HEARTBEAT_TIMED_OUT;
    }
  }

  /** When to look at an attempt. Those of attempts that end are taken back, or would pile up. */
  private record Alarm(Moment at, long number, Watch watch) {}

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

  /** Interrupt this attempt when its time is over, unless {@link #forget} comes first. */
  Watch watch(Holding holding) {
    Moment now = ticker.now();
    holding.sign(now);
    Duration timeout = holding.policy().timeout();
    Watch watch = new Watch(holding, timeout == null ? Moment.NEVER : now.plus(timeout));
    if (set(watch, watch.nextLook())) {
      waker.wake();
    }
    return watch;
  }

  void forget(Watch watch) {
    synchronized (alarms) {
      watch.forgotten = true;
      if (watch.alarm != null) {
        alarms.remove(watch.alarm);
      }
    }
  }

  /** Set the alarm of an attempt and say whether it is the first to ring. */
  private boolean set(Watch watch, Moment at) {
    synchronized (alarms) {
      if (watch.forgotten) {
        return false;
      }
      Alarm alarm = new Alarm(at, ++lastNumber, watch);
      watch.alarm = alarm;
      alarms.add(alarm);
      return alarms.first().number() == alarm.number();
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
      ring(due.watch(), now);
    }
  }

  /** One that was told to stop for another reason, and does not, is given up all the same. */
  private void ring(Watch watch, Moment now) {
    Holding holding = watch.holding;
    if (holding.hasEnded() || holding.stopReason() == StopReason.CLAIM_LOST) {
      return;
    }
    if (watch.interruptedFor != null) {
      giveUp(holding, watch.interruptedFor);
      return;
    }
    StopReason over = watch.over(now);
    if (over == null) {
      set(watch, watch.nextLook());
    } else {
      warn(holding, over);
      watch.interruptedFor = over;
      holding.stop(over);
      set(watch, now.plus(PATIENCE));
    }
  }

  private static void warn(Holding holding, StopReason over) {
    boolean silent = over == StopReason.HEARTBEAT_TIMED_OUT;
    log.warn(
        "Job {} of {} exceeds its {} of {}; it is interrupted",
        holding.job().id(),
        holding.job().task(),
        silent ? "heartbeat timeout" : "timeout",
        silent ? holding.policy().heartbeatTimeout() : holding.policy().timeout());
  }

  private void giveUp(Holding holding, StopReason why) {
    if (holding.settle()) {
      holdings.addRunaway(holding);
      log.error(
          "Job {} of {} ignores its interrupt; the attempt is given up and its slot stays taken"
              + " until its thread ends",
          holding.job().id(),
          holding.job().task());
      sink.finish(holding, Runner.timedOut(holding, why, node, random.nextDouble()));
    }
  }
}
