package dev.holdfast.engine.claim;

import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.live.Identity;
import dev.holdfast.engine.live.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.mode.ModeSwitch;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.Lane;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts prefetched jobs in batches as slots become free: the start is written before code runs.
 */
public final class Starter implements Role {
  private static final Logger log = LoggerFactory.getLogger(Starter.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration IN_DOUBT = Duration.ofMillis(20);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final Lane lane;
  private final Prefetched prefetched;
  private final Claims claims;
  private final QueueRules rules;
  private final TaskRules taskRules;
  private final ModeSwitch modes;
  private final Identity identity;
  private final Holdings holdings;
  private final Runner runner;
  private final FinishSink sink;
  private final Meters meters;
  private final LifecycleEvents events;

  Starter(Lane lane, Prefetched prefetched, ClaimParts parts) {
    this.lane = lane;
    this.prefetched = prefetched;
    this.claims = parts.claims();
    this.rules = parts.rules();
    this.taskRules = parts.taskRules();
    this.modes = parts.modes();
    this.identity = parts.identity();
    this.holdings = parts.holdings();
    this.runner = parts.runner();
    this.sink = parts.sink();
    this.meters = parts.meters();
    this.events = parts.events();
  }

  @Override
  public String name() {
    return "starter-" + lane;
  }

  @Override
  public Moment tick(Moment now) {
    Tenure tenure = identity.tenure();
    prefetched.drop(holding -> holding.hasEnded() || holding.tenure() != tenure);
    handBack(prefetched.takeIf(holding -> !mayStart(holding, now)));
    if (tenure.isOver() || tenure.isInDoubt()) {
      return prefetched.size() == 0 ? Moment.NEVER : now.plus(IN_DOUBT);
    }
    int slots = lane.slots().reserve(prefetched.size());
    List<Holding> batch = prefetched.take(slots);
    lane.slots().release(slots - batch.size());
    if (batch.isEmpty()) {
      return lookAgain(now);
    }
    Map<Boolean, List<Holding>> started;
    try {
      Set<Held> running =
          claims.start(tenure.incarnation(), batch.stream().map(Holding::held).toList());
      started =
          batch.stream()
              .collect(Collectors.partitioningBy(holding -> running.contains(holding.held())));
    } catch (RuntimeException | Error failure) {
      // A start is repeatable, so the batch simply waits, even where this one was carried out.
      log.warn("{} jobs could not be started: {}", batch.size(), failure.toString());
      prefetched.putBack(batch);
      lane.slots().release(batch.size());
      return now.plus(AFTER_FAILURE);
    }
    lane.prefetchedTaken();
    started.getOrDefault(true, List.of()).forEach(this::run);
    started
        .getOrDefault(false, List.of())
        .forEach(gone -> {
          holdings.remove(gone);
          lane.slots().release(1);
        });
    return prefetched.size() > 0 && lane.slots().free() > 0 ? now : lookAgain(now);
  }

  private void run(Holding holding) {
    ClaimedJob job = holding.job();
    meters.started(job, Duration.between(job.readyAt(), job.claimedAt()));
    events.started(job);
    runner.run(lane, holding);
  }

  /** Somebody may want back what waits here, or change what this node does. */
  private Moment lookAgain(Moment now) {
    return prefetched.size() == 0 ? Moment.NEVER : now.plus(LOOK_EVERY);
  }

  private boolean mayStart(Holding holding, Moment now) {
    String task = holding.job().task();
    return holding.stopReason() == null
        && !holdings.suspects().hasWaitedTooLong(holding.held(), now)
        && modes.mayRun(task)
        && !rules.of(lane.queue()).paused()
        // The one that was let through is to show whether others may be.
        && (holding.isProbe() || !taskRules.isShut(task, now));
  }

  private void handBack(List<Holding> unwanted) {
    unwanted.forEach(sink::handBack);
  }

  /** Give everything back that has not begun. */
  void giveAllBack() {
    handBack(prefetched.take(Integer.MAX_VALUE));
  }
}
