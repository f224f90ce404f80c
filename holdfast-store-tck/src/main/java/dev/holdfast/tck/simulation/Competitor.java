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
  /** Clocks of a simulation differ by half a percent at most: see {@link Host}. */
  private static final double FASTEST_CLOCK = 1.005;

  private static final int ALL = 1_000;

  /** It has no place in the circle of nodes, and watches all of them. */
  private static final UUID NOBODY = new UUID(0, 0);

  private final Timeline timeline;
  private final FaultModel weather;
  private final Store store;
  private final InvariantChecker ledger;
  private final Trace journal;

  Competitor(
      Timeline timeline, FaultModel weather, Store store, InvariantChecker ledger, Trace journal) {
    this.timeline = timeline;
    this.weather = weather;
    this.store = store;
    this.ledger = ledger;
    this.journal = journal;
  }

  /** Start to wait: the counter of this incarnation has just moved. */
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
    if (weather.awayUntil() > since) {
      // Reads failed meanwhile: silence counts from when they succeeded again.
      await(seen, timeout, Math.max(weather.awayUntil(), timeline.now()));
    } else if (weather.isStoreReadOnly()) {
      timeline.at(weather.readOnlyUntil(), () -> actOn(seen, timeout, since));
    } else {
      takeOver(seen, timeout);
    }
  }

  private void takeOver(Pulse seen, Duration timeout) {
    UUID incarnation = seen.incarnation();
    if (timeout.compareTo(seen.timeouts().running()) < 0) {
      takeBack(Holder.silent(incarnation, seen.beat()));
    } else if (store.nodes().markDead(incarnation, seen.beat(), timeout)) {
      journal.note("competitor", "declares " + seen.id() + " dead");
      takeBack(Holder.dead(incarnation));
    }
  }

  private void takeBack(Holder holder) {
    List<Orphan> orphans = store.recovery().orphans(holder, Scope.ALL, ALL);
    List<RecoveryAction> rulings = orphans.stream().map(Competitor::rule).toList();
    List<Result> answers = store.recovery().recover(holder, rulings);
    ledger.check();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) != Result.NOT_HELD) {
        ClaimId held = rulings.get(i).claim();
        journal.note("competitor", "takes " + held.id() + " back");
        ledger.takenBack(held.id(), held.token());
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
    return store.nodes().look(NOBODY, ALL, false).watched().stream()
        .filter(pulse -> pulse.incarnation().equals(incarnation))
        .findFirst();
  }
}
