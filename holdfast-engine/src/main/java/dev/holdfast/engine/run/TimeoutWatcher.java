package dev.holdfast.engine.run;

import static java.util.Objects.requireNonNull;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.role.Environment;
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
 * Interrupts attempts that exceed their timeout or send no heartbeat for longer than their
 * heartbeat timeout. An attempt that does not respond to interruption is given up after a while:
 * its job continues by its retry policy, or stays with this node if configured so. Its slot is lost
 * until its thread ends.
 */
public final class TimeoutWatcher implements Role {
  private static final Logger log = LoggerFactory.getLogger(TimeoutWatcher.class);

  /** An attempt that is checked at its alarms. Its mutable fields are guarded by {@code alarms}. */
  final class Watch implements AutoCloseable {
    private final HeldJob heldJob;
    private final Moment deadline;
    private @Nullable Alarm alarm;
    private boolean forgotten;

    /** Whether its claim was given up: only its slot is still of interest. */
    private final boolean abandoned;

    /** Why it was interrupted; null before that. Only the tick uses it. */
    private @Nullable StopReason interruptedFor;

    /** Ends the watch: the attempt has ended. */
    @Override
    public void close() {
      synchronized (alarms) {
        forgotten = true;
        if (alarm != null) {
          alarms.remove(alarm);
        }
      }
    }

    private Watch(HeldJob heldJob, Moment deadline, boolean abandoned) {
      this.heldJob = heldJob;
      this.deadline = deadline;
      this.abandoned = abandoned;
    }

    /**
     * Returns when the next heartbeat is due. A heartbeat moves this time without moving an alarm.
     */
    private Moment silentBy() {
      Duration longest = heldJob.policy().heartbeatTimeout();
      return longest == null ? Moment.NEVER : heldJob.lastSign().plus(longest);
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

  /**
   * When to check an attempt. Alarms of attempts that end are removed, or they would accumulate.
   */
  private record Alarm(Moment at, long number, Watch watch) {}

  private static final Comparator<Alarm> BY_TIME =
      Comparator.comparing(Alarm::at).thenComparingLong(Alarm::number);

  private final String node;
  private final HeldJobs heldJobs;
  private final FinishSink sink;
  private final LostSlots lost;
  private final HungSettings hung;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final Waker waker;
  private final TreeSet<Alarm> alarms = new TreeSet<>(BY_TIME);
  private long lastNumber;

  /**
   * @param node the id of this node
   * @param hung what happens to attempts that do not respond to interruption
   */
  public TimeoutWatcher(
      String node,
      HeldJobs heldJobs,
      FinishSink sink,
      LostSlots lost,
      HungSettings hung,
      Environment environment,
      Waker waker) {
    this.node = node;
    this.heldJobs = heldJobs;
    this.sink = sink;
    this.lost = lost;
    this.hung = hung;
    this.ticker = environment.ticker();
    this.random = environment.random();
    this.waker = waker;
    heldJobs.onAbandoned(this::watchAbandoned);
  }

  @Override
  public String name() {
    return "timeouts";
  }

  /**
   * Interrupts this attempt when its time is over, unless the watch is closed first.
   *
   * @return null if the attempt has no timeout
   */
  @Nullable Watch watch(HeldJob heldJob) {
    Duration timeout = heldJob.policy().timeout();
    if (timeout == null && heldJob.policy().heartbeatTimeout() == null) {
      return null;
    }
    Moment now = ticker.now();
    heldJob.sign(now);
    Watch watch = new Watch(heldJob, timeout == null ? Moment.NEVER : now.plus(timeout), false);
    if (set(watch, watch.nextLook())) {
      waker.wake();
    }
    return watch;
  }

  /** Checks later whether the code of a job that the node gave up still occupies its slot. */
  private void watchAbandoned(HeldJob heldJob) {
    Moment look = ticker.now().plus(hung.patience());
    if (set(new Watch(heldJob, look, true), look)) {
      waker.wake();
    }
  }

  /** Returns whether attempts that do not end occupy slots, or did until now. */
  boolean hasLostSlots() {
    return lost.any();
  }

  /** Releases the slot of an attempt that has ended. */
  void release(Lane lane, HeldJob heldJob) {
    lost.release(lane, heldJob);
  }

  /** Sets the alarm of an attempt and returns whether it is the first that is due. */
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

  /** An attempt that was told to stop for another reason and does not stop is given up too. */
  private void ring(Watch watch, Moment now) {
    HeldJob heldJob = watch.heldJob;
    if (watch.abandoned) {
      lost.lose(heldJob);
      return;
    }
    if (heldJob.hasEnded() || heldJob.stopReason() == StopReason.CLAIM_LOST) {
      return;
    }
    if (watch.interruptedFor != null) {
      giveUp(heldJob, watch.interruptedFor);
      return;
    }
    StopReason over = watch.over(now);
    if (over == null) {
      set(watch, watch.nextLook());
    } else {
      warn(heldJob, over);
      watch.interruptedFor = over;
      heldJob.stop(over);
      set(watch, now.plus(hung.patience()));
    }
  }

  private static void warn(HeldJob heldJob, StopReason over) {
    boolean silent = over == StopReason.HEARTBEAT_TIMED_OUT;
    log.warn(
        "Job {} of {} exceeded its {} of {} and is interrupted",
        heldJob.job().id(),
        heldJob.job().task(),
        silent ? "heartbeat timeout" : "timeout",
        Times.describe(
            requireNonNull(
                silent ? heldJob.policy().heartbeatTimeout() : heldJob.policy().timeout())));
  }

  private void giveUp(HeldJob heldJob, StopReason why) {
    if (hung.holdJobs()) {
      log.error(
          "Job {} of {} does not respond to interruption; this node keeps it until its thread ends,"
              + " so that no other attempt of it runs meanwhile",
          heldJob.job().id(),
          heldJob.job().task());
      lost.lose(heldJob);
    } else if (heldJob.settle()) {
      heldJobs.addRunaway(heldJob);
      log.error(
          "Job {} of {} does not respond to interruption; the attempt is given up, and the job"
              + " continues by its retry policy although the code of this attempt still runs",
          heldJob.job().id(),
          heldJob.job().task());
      sink.finish(heldJob, FinishDecision.timedOut(heldJob, why, node, random.nextDouble()));
      lost.lose(heldJob);
    }
  }
}
