package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.liveness.Recoverer.Lost;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.NodeStore.Dead;
import dev.holdfast.engine.store.NodeStore.Look;
import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds dead nodes and recovers the jobs they held.
 *
 * <p>The sweeper reads the heartbeats of the nodes it watches once per interval; every second while
 * one of them holds jobs, because silence counts from the read that saw a heartbeat, not from when
 * the heartbeat was sent; and exactly when a silent node reaches a timeout. Once per interval it
 * also looks for all dead nodes that still hold jobs, no matter which node marked them dead.
 */
public final class Sweeper implements Role {
  private static final Logger log = LoggerFactory.getLogger(Sweeper.class);

  private static final Duration CLOSE = Duration.ofSeconds(1);

  /**
   * How long after a signal of new work it looks every second, until a node that it watches has
   * claimed some.
   */
  private static final Duration EXPECTANT = Duration.ofSeconds(3);

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final WatchedNodes nodes;
  private final Duration interval;
  private final Recovering recoverer;
  private final Telemetry telemetry;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final SilenceTracker tracker;
  private Moment nextSweep;
  private volatile boolean sweepDue;
  private volatile boolean watching;
  private volatile Moment expectantUntil;
  private volatile Moment lastLook;
  private final Waker waker;

  /** Takes care of what dead nodes have left. */
  interface Recovering {
    SweepCounts recover(List<Lost> lost, boolean all, Runnable onContact);
  }

  /**
   * Creates a sweeper that only reports the dead.
   *
   * @param onDead takes care of what these dead incarnations have left
   */
  public static Sweeper reporting(
      WatchedNodes nodes,
      Duration interval,
      Consumer<List<UUID>> onDead,
      Telemetry telemetry,
      Environment environment,
      Waker waker) {
    Recovering report =
        (lost, all, onContact) -> {
          List<UUID> dead =
              lost.stream()
                  .filter(one -> one.holder().silentAt() == null)
                  .map(one -> one.holder().incarnation())
                  .toList();
          if (!dead.isEmpty()) {
            onDead.accept(dead);
          }
          return SweepCounts.NONE;
        };
    return new Sweeper(nodes, interval, report, telemetry, environment, waker);
  }

  /**
   * @param interval the longest time between two sweeps
   */
  public Sweeper(
      WatchedNodes nodes,
      Duration interval,
      Recoverer recoverer,
      Telemetry telemetry,
      Environment environment,
      Waker waker) {
    this(nodes, interval, (Recovering) recoverer::recover, telemetry, environment, waker);
  }

  private Sweeper(
      WatchedNodes nodes,
      Duration interval,
      Recovering recoverer,
      Telemetry telemetry,
      Environment environment,
      Waker waker) {
    this.nodes = nodes;
    this.interval = interval;
    this.recoverer = recoverer;
    this.telemetry = telemetry;
    this.ticker = environment.ticker();
    this.random = environment.random();
    this.waker = waker;
    this.tracker = new SilenceTracker(interval.multipliedBy(2).plusSeconds(1));
    this.nextSweep = ticker.now();
    this.lastLook = nextSweep;
    this.expectantUntil = nextSweep;
  }

  @Override
  public String name() {
    return "sweeper";
  }

  /** Sweeps immediately, because a node has just been marked dead. */
  public void sweepNow() {
    sweepDue = true;
    waker.wake();
  }

  /** Notes that there is work, which a watched node may be about to claim. */
  public void expectWork() {
    Moment now = ticker.now();
    boolean resting = !now.isBefore(lastLook.plus(CLOSE));
    if (watching && resting) {
      lookNow(now); // One read serves all signals of the next second.
    }
  }

  /**
   * Notes that a node has registered. It may claim many jobs immediately and die: its silence is
   * measured from the first read that shows it, which should not be a whole sweep interval later. A
   * read that has just ended cannot have shown it.
   */
  public void expectNode() {
    lookNow(ticker.now());
  }

  private void lookNow(Moment now) {
    lastLook = now;
    expectantUntil = now.plus(EXPECTANT);
    waker.wake();
  }

  @Override
  public Moment tick(Moment now) {
    Moment asked = ticker.now();
    boolean sweeps = sweepDue || !now.isBefore(nextSweep);
    sweepDue = false;
    if (sweeps) {
      nextSweep = now.plus(interval);
    }
    try {
      Look look = nodes.look(sweeps);
      lastLook = ticker.now();
      List<Pulse> watched = look.watched();
      watching = !watched.isEmpty();
      recover(look, tracker.look(asked, lastLook, watched), sweeps);
      return nextLook(now, asked, watched);
    } catch (StoreException failure) {
      tracker.interrupt();
      sweepDue = sweeps;
      Duration delay = AFTER_FAILURE.compareTo(interval) < 0 ? AFTER_FAILURE : interval;
      log.warn(
          "Sweep for dead nodes failed, retrying in {}: {}",
          Times.describe(delay),
          failure.getMessage());
      return now.plus(delay);
    }
  }

  private Moment nextLook(Moment now, Moment asked, List<Pulse> watched) {
    boolean closely =
        watching && (now.isBefore(expectantUntil) || watched.stream().anyMatch(Pulse::busy));
    return nextSweep
        .earlier(closely ? now.plus(CLOSE) : Moment.NEVER)
        .earlier(tracker.nextTimeout(asked, watched));
  }

  private void recover(Look look, Map<UUID, Duration> silent, boolean sweeps) {
    Moment started = ticker.now();
    int died = 0;
    List<Lost> lost = new ArrayList<>();
    for (Dead dead : look.dead()) {
      lost.add(
          new Lost(
              Holder.dead(dead.incarnation()), new Loss(dead.id(), dead.death(), dead.silence())));
    }
    for (Pulse pulse : look.watched()) {
      try {
        Optional<Lost> one =
            nodes.judge(pulse, silent.getOrDefault(pulse.incarnation(), Duration.ZERO));
        one.ifPresent(lost::add);
        died += one.filter(node -> node.holder().silentAt() == null).isPresent() ? 1 : 0;
      } catch (RuntimeException failure) {
        log.warn(
            "Node {} is silent and could not be marked dead, retrying at the next sweep",
            pulse.id(),
            failure);
      }
    }
    // In a different order on each node, so that sweepers do not compete for the same jobs.
    Collections.shuffle(lost, Random.from(random));
    SweepCounts recovered = recoverer.recover(lost, sweeps, () -> tracker.contact(ticker.now()));
    if (died > 0 || recovered.total() > 0) {
      record(died, recovered, started.until(ticker.now()));
    }
  }

  private void record(int died, SweepCounts recovered, Duration took) {
    telemetry
        .spans()
        .worked(
            "holdfast.sweep",
            took,
            span ->
                span.setAttribute("holdfast.nodes.died", died)
                    .setAttribute("holdfast.jobs.recovered", recovered.total())
                    .setAttribute("holdfast.jobs.crashed", recovered.crashed())
                    .setAttribute("holdfast.jobs.dead_lettered", recovered.deadLettered())
                    .setAttribute("holdfast.jobs.cancelled", recovered.cancelled()));
  }
}
