package dev.holdfast.engine.schedule;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.DueReport;
import dev.holdfast.engine.store.ScheduleStore.FireOrder;
import dev.holdfast.engine.store.ScheduleStore.FireReport;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires due schedules. It sleeps until the next one is due, and is woken when one changes anywhere.
 * Every node has a scheduler, and each wakes up a random moment later than due, so that not always
 * the same node wins.
 */
public final class Scheduler implements Role {
  private static final Logger log = LoggerFactory.getLogger(Scheduler.class);
  private static final int BATCH = 100;
  private static final Duration LONGEST_SLEEP = Duration.ofSeconds(60);
  private static final Duration BEHIND_A_JOB = Duration.ofSeconds(1);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration BEHIND_A_NODE = Duration.ofMillis(100);
  private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(1);
  private static final Duration SHORTEST_SPREAD = Duration.ofMillis(50);

  private final ScheduleStore store;
  private final SignalBus bus;
  private final String node;
  private final Ticker ticker;
  private final Supplier<UUID> ids;
  private final RandomGenerator random;
  private final ClusterSize clusterSize;
  private final RoleSpans spans;
  private final Waker waker;
  private volatile boolean changed = true;
  private Moment wanted = Moment.NEVER;
  private int fired;
  private int created;

  /**
   * Creates the scheduler of a node.
   *
   * @param node the id of the node that fires
   */
  public Scheduler(
      ScheduleStore store,
      SignalBus bus,
      String node,
      Environment environment,
      ClusterSize clusterSize,
      RoleSpans spans,
      Waker waker) {
    this.store = store;
    this.bus = bus;
    this.node = node;
    this.ticker = environment.ticker();
    this.ids = environment.ids();
    this.random = environment.random();
    this.clusterSize = clusterSize;
    this.spans = spans;
    this.waker = waker;
  }

  /** Checks again, since a schedule has changed. */
  public void lookAgain() {
    changed = true;
    waker.wake();
  }

  @Override
  public String name() {
    return "scheduler";
  }

  @Override
  public Moment tick(Moment now) {
    if (!changed && now.isBefore(wanted)) {
      return wanted;
    }
    changed = false;
    Moment asked = ticker.now();
    Duration next = AFTER_FAILURE;
    fired = 0;
    created = 0;
    try {
      next = fireDue();
    } catch (StoreException failure) {
      log.warn(
          "Due schedules could not be read, retrying in {}: {}",
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
    } finally {
      // Even if something was thrown: a role that returns NEVER is not called again.
      wanted = asked.plus(next).plus(next.isZero() ? Duration.ZERO : spread());
      if (fired > 0) {
        record(asked.until(ticker.now()));
      }
    }
    return wanted;
  }

  private void record(Duration took) {
    spans.worked(
        "holdfast.fire",
        took,
        span ->
            span.setAttribute("holdfast.schedules.fired", fired)
                .setAttribute("holdfast.jobs.created", created));
  }

  private Duration spread() {
    long most =
        Math.max(SHORTEST_SPREAD.toNanos(), ClusterSize.longest(clusterSize.nodes()).toNanos());
    return Duration.ofNanos((long) (random.nextDouble() * most));
  }

  /** Fires what is due and returns how long until something else is. */
  private Duration fireDue() {
    DueReport report = store.due(BATCH);
    Duration next = report.next().orElse(LONGEST_SLEEP);
    next = shorter(next, report.blocked() ? BEHIND_A_JOB : LONGEST_SLEEP);
    for (Kept kept : report.due()) {
      Duration wait;
      try {
        wait = fire(kept, report.now());
      } catch (
          RuntimeException failure) { // A schedule that fails must not keep others from firing.
        wait = putOff(kept, report.now(), failure);
      }
      next = shorter(next, wait);
    }
    return report.due().size() == BATCH
        ? Duration.ZERO
        : shorter(next, bus.sleepAtMost(LONGEST_SLEEP));
  }

  /**
   * Puts off a schedule for as long as it has been overdue: a delay that doubles with each try. The
   * schedule stays due in the store, so that schedules behind it are found, no matter how many
   * fail.
   */
  private Duration putOff(Kept kept, Instant now, RuntimeException failure) {
    Instant due = kept.draft().nextFire();
    Duration overdue = due == null ? AFTER_FAILURE : Duration.between(due, now);
    Duration wait =
        overdue.compareTo(AFTER_FAILURE) < 0 ? AFTER_FAILURE : shorter(overdue, LONGEST_BACKOFF);
    log.error(
        "Schedule '{}' could not be fired, retrying in {}: {}",
        kept.plan().id(),
        Times.describe(wait),
        failure.toString());
    store.putOff(kept, wait);
    return wait;
  }

  /** Fires one schedule and returns how long until it is due again. */
  private Duration fire(Kept kept, Instant now) {
    Instant due = kept.draft().nextFire();
    if (due == null) {
      return LONGEST_SLEEP;
    }
    FireOrder order = FirePlan.settle(kept, due, now, node, ids);
    FireReport report = store.fire(order);
    return switch (report.result()) {
      case FIRED -> {
        fired++;
        created += report.created().size();
        announce(order, report, now);
        Instant next = order.next();
        yield next == null ? LONGEST_SLEEP : notNegative(Duration.between(now, next));
      }
      // Another node fires it, or it was changed: the next read shows when it is due again.
      case LOST -> BEHIND_A_NODE;
      case BLOCKED -> BEHIND_A_JOB;
    };
  }

  private void announce(FireOrder order, FireReport report, Instant now) {
    var plan = order.seen().plan();
    if (report.created().size() < order.firings().size()) {
      log.debug(
          "Schedule '{}' created {} of {} jobs at {}; the others would have overlapped",
          plan.id(),
          report.created().size(),
          order.firings().size(),
          now);
    }
    if (report.created().isEmpty()) {
      return;
    }
    bus.publish(
        plan.recurrence().jitter().isZero()
            ? new Signal.NewWork(plan.job().queue(), plan.job().priority(), report.created().size())
            : new Signal.Scheduled(Duration.ZERO));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  private static Duration notNegative(Duration duration) {
    return duration.isNegative() ? Duration.ZERO : duration;
  }
}
