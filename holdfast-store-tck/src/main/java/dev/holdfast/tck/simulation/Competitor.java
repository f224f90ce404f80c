package dev.holdfast.tck.simulation;

import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.run.FailureReport;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import dev.holdfast.engine.store.Recovery.Scope;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The most aggressive correct sweeper: it sees every heartbeat at the moment it is written,
 * recovers jobs at the moment a timeout ends, and its clock is as fast as the tolerance allows. It
 * exposes a holder that stops a moment too late.
 */
final class Competitor {
  /** The clocks of a simulation differ by at most half a percent: see {@link Host}. */
  private static final double FASTEST_CLOCK = 1.005;

  private static final int ALL = 1_000;

  /** Not a registered node, so {@code look} returns all nodes. */
  private static final UUID OUTSIDER = new UUID(0, 0);

  private final Timeline timeline;
  private final FaultModel faultModel;
  private final Store store;
  private final InvariantChecker checker;
  private final Trace trace;

  Competitor(
      Timeline timeline,
      FaultModel faultModel,
      Store store,
      InvariantChecker checker,
      Trace trace) {
    this.timeline = timeline;
    this.faultModel = faultModel;
    this.store = store;
    this.checker = checker;
    this.trace = trace;
  }

  /**
   * Starts to wait for the timeouts of an incarnation whose heartbeat counter has just advanced.
   */
  void sawSignOfLife(UUID incarnation) {
    pulse(incarnation)
        .ifPresent(pulse -> {
          await(pulse, pulse.timeouts().claimed(), timeline.now());
          await(pulse, pulse.timeouts().running(), timeline.now());
        });
  }

  private void await(Pulse seen, Duration timeout, long since) {
    timeline.at(
        since + (long) (timeout.toNanos() / FASTEST_CLOCK), () -> actOn(seen, timeout, since));
  }

  private void actOn(Pulse seen, Duration timeout, long since) {
    if (pulse(seen.incarnation()).filter(now -> now.beat() == seen.beat()).isEmpty()) {
      return;
    }
    if (faultModel.awayUntil() > since) {
      // Reads failed meanwhile, so silence counts from when they succeeded again.
      await(seen, timeout, Math.max(faultModel.awayUntil(), timeline.now()));
    } else if (faultModel.isStoreReadOnly()) {
      timeline.at(faultModel.readOnlyUntil(), () -> actOn(seen, timeout, since));
    } else {
      takeOver(seen, timeout);
    }
  }

  private void takeOver(Pulse seen, Duration timeout) {
    UUID incarnation = seen.incarnation();
    if (timeout.compareTo(seen.timeouts().running()) < 0) {
      recoverFrom(Holder.silent(incarnation, seen.beat()));
    } else if (store.nodes().markDead(incarnation, seen.beat(), timeout)) {
      trace.note("competitor", "declares " + seen.id() + " dead");
      recoverFrom(Holder.dead(incarnation));
    }
  }

  private void recoverFrom(Holder holder) {
    List<Orphan> orphans = store.recovery().orphans(holder, Scope.ALL, ALL);
    List<RecoveryAction> actions = orphans.stream().map(Competitor::rule).toList();
    List<Result> results = store.recovery().recover(holder, actions);
    checker.check();
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) != Result.NOT_HELD) {
        ClaimId held = actions.get(i).claim();
        trace.note("competitor", "recovers " + held.id());
        checker.recovered(held.id(), held.token());
      }
    }
  }

  private static RecoveryAction rule(Orphan orphan) {
    return orphan.started()
        ? new RecoveryAction.AfterCrash(
            orphan.claim(),
            Duration.ZERO,
            Suspicion.NONE,
            FailureReport.of(
                orphan.attempt(), FailureCode.WORKER_CRASHED, "Its node was silent.", "competitor"))
        : new RecoveryAction.NotStarted(orphan.claim());
  }

  private Optional<Pulse> pulse(UUID incarnation) {
    return store.nodes().look(OUTSIDER, ALL, false).watched().stream()
        .filter(pulse -> pulse.incarnation().equals(incarnation))
        .findFirst();
  }
}
