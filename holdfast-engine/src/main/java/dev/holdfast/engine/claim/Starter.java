package dev.holdfast.engine.claim;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
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
  private final OptionalInt prefetch;
  private final PrefetchBuffer prefetched = new PrefetchBuffer();
  private final Waker waker;
  private final ClaimSender sender;
  private final NodeClaims held;
  private final ClaimRules rules;
  private final Runner runner;
  private final FinishSink sink;

  /**
   * @param prefetch how many jobs may wait to be started; empty if none do, because the claimer
   *     claims ahead by itself
   * @param sink takes the jobs that go back to their queue
   */
  public Starter(
      Lane lane,
      OptionalInt prefetch,
      ClaimSender sender,
      ClaimRules rules,
      Runner runner,
      FinishSink sink,
      Waker waker) {
    this.lane = lane;
    this.prefetch = prefetch;
    this.sender = sender;
    this.held = sender.held();
    this.rules = rules;
    this.runner = runner;
    this.sink = sink;
    this.waker = waker;
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
    return prefetch.orElse(0) - prefetched.size();
  }

  @Override
  public Moment tick(Moment now) {
    Tenure tenure = held.tenure();
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
      Set<ClaimId> running = sender.start(tenure, batch);
      started =
          batch.stream()
              .collect(Collectors.partitioningBy(heldJob -> running.contains(heldJob.claim())));
    } catch (RuntimeException | Error failure) {
      // A start can be repeated, so the batch simply waits, even if this one was executed.
      log.warn(
          "Starting {} prefetched jobs of queue {} failed, retrying in {}: {}",
          batch.size(),
          lane,
          Times.describe(AFTER_FAILURE),
          failure.toString());
      prefetched.putBack(batch);
      lane.slots().release(batch.size());
      return now.plus(AFTER_FAILURE);
    }
    lane.prefetchedTaken();
    started.getOrDefault(true, List.of()).forEach(job -> runner.run(lane, job));
    started
        .getOrDefault(false, List.of())
        .forEach(gone -> {
          held.jobs().remove(gone);
          lane.slots().release(1);
        });
    return prefetched.size() > 0 && lane.slots().free() > 0 ? now : lookAgain(now);
  }

  /**
   * Returns when to look again: waiting jobs may be requested back, and modes and rules may change.
   */
  private Moment lookAgain(Moment now) {
    return prefetched.size() == 0 ? Moment.NEVER : now.plus(LOOK_EVERY);
  }

  private boolean mayStart(HeldJob heldJob, Moment now) {
    return heldJob.stopReason() == null
        && !held.jobs().suspects().hasWaitedTooLong(heldJob.claim(), now)
        && rules.mayStart(lane, heldJob, now);
  }

  /** Returns whether the claimer chooses how many jobs to claim ahead. */
  boolean isAutomatic() {
    return prefetch.isEmpty();
  }

  /** Hands back jobs whose code has not started. */
  void handBack(List<HeldJob> unwanted) {
    unwanted.forEach(sink::handBack);
  }

  /** Hands back all jobs that have not started. */
  void giveAllBack() {
    handBack(prefetched.take(Integer.MAX_VALUE));
  }
}
