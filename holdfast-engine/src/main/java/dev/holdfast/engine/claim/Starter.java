package dev.holdfast.engine.claim;

import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.rule.QueueRules;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts prefetched jobs in batches as slots become free. The start is written before the code
 * runs.
 */
public final class Starter implements Role {
  private static final Logger log = LoggerFactory.getLogger(Starter.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration IN_DOUBT = Duration.ofMillis(20);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final Lane lane;
  private final int prefetch;
  private final PrefetchBuffer prefetched = new PrefetchBuffer();
  private final Waker waker;
  private final Claims claims;
  private final QueueRules rules;
  private final TaskRules taskRules;
  private final CurrentModes modes;
  private final CurrentIncarnation identity;
  private final HeldJobs heldJobs;
  private final Runner runner;
  private final FinishSink sink;
  private final Meters meters;
  private final LifecycleEvents events;

  /**
   * @param prefetch how many jobs may wait to be started
   */
  public Starter(Lane lane, int prefetch, ClaimParts parts, Waker waker) {
    this.lane = lane;
    this.prefetch = prefetch;
    this.waker = waker;
    this.claims = parts.claims();
    this.rules = parts.rules();
    this.taskRules = parts.taskRules();
    this.modes = parts.modes();
    this.identity = parts.identity();
    this.heldJobs = parts.heldJobs();
    this.runner = parts.runner();
    this.sink = parts.sink();
    this.meters = parts.meters();
    this.events = parts.events();
    lane.startedBy(waker, prefetched::size);
  }

  @Override
  public boolean sharesThread() {
    return true;
  }

  @Override
  public String name() {
    return "starter-" + lane;
  }

  /** Starts a claimed job as soon as a slot is free. */
  void prefetch(HeldJob heldJob) {
    prefetched.add(heldJob);
    waker.wake();
  }

  /** Returns whether prefetched jobs wait to be started. */
  boolean hasJobs() {
    return prefetched.size() > 0;
  }

  /** Returns how many more jobs may be prefetched. */
  int room() {
    return prefetch - prefetched.size();
  }

  @Override
  public Moment tick(Moment now) {
    Tenure tenure = identity.tenure();
    prefetched.drop(heldJob -> heldJob.hasEnded() || heldJob.tenure() != tenure);
    handBack(prefetched.takeIf(heldJob -> !mayStart(heldJob, now)));
    if (tenure.isOver() || tenure.isInDoubt()) {
      return prefetched.size() == 0 ? Moment.NEVER : now.plus(IN_DOUBT);
    }
    int slots = lane.slots().reserve(prefetched.size());
    List<HeldJob> batch = prefetched.take(slots);
    lane.slots().release(slots - batch.size());
    if (batch.isEmpty()) {
      return lookAgain(now);
    }
    Map<Boolean, List<HeldJob>> started;
    try {
      Set<ClaimId> running =
          claims.start(tenure.incarnation(), batch.stream().map(HeldJob::claim).toList());
      started =
          batch.stream()
              .collect(Collectors.partitioningBy(heldJob -> running.contains(heldJob.claim())));
    } catch (RuntimeException | Error failure) {
      // A start can be repeated, so the batch simply waits, even if this one was executed.
      log.warn(
          "Starting {} prefetched jobs of queue {} failed, retrying in {} ms: {}",
          batch.size(),
          lane,
          AFTER_FAILURE.toMillis(),
          failure.toString());
      prefetched.putBack(batch);
      lane.slots().release(batch.size());
      return now.plus(AFTER_FAILURE);
    }
    lane.prefetchedTaken();
    started.getOrDefault(true, List.of()).forEach(this::run);
    started
        .getOrDefault(false, List.of())
        .forEach(gone -> {
          heldJobs.remove(gone);
          lane.slots().release(1);
        });
    return prefetched.size() > 0 && lane.slots().free() > 0 ? now : lookAgain(now);
  }

  private void run(HeldJob heldJob) {
    ClaimedJob job = heldJob.job();
    meters.started(job, Duration.between(job.readyAt(), job.claimedAt()));
    events.started(job);
    runner.run(lane, heldJob);
  }

  /**
   * Returns when to look again: waiting jobs may be requested back, and modes and rules may change.
   */
  private Moment lookAgain(Moment now) {
    return prefetched.size() == 0 ? Moment.NEVER : now.plus(LOOK_EVERY);
  }

  private boolean mayStart(HeldJob heldJob, Moment now) {
    String task = heldJob.job().task();
    return heldJob.stopReason() == null
        && !heldJobs.suspects().hasWaitedTooLong(heldJob.claim(), now)
        && modes.mayRun(task)
        && !rules.of(lane.queue()).paused()
        // A probe has to run: its outcome decides whether the breaker closes.
        && (heldJob.isProbe() || !taskRules.isShut(task, now));
  }

  private void handBack(List<HeldJob> unwanted) {
    unwanted.forEach(sink::handBack);
  }

  /** Hands back all jobs that have not started. */
  void giveAllBack() {
    handBack(prefetched.take(Integer.MAX_VALUE));
  }
}
