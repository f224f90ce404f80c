package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.finish.ConfirmedOutcomes;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import dev.holdfast.engine.store.Recovery.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Recovers the jobs of dead nodes. */
public final class Recoverer {
  private static final Logger log = LoggerFactory.getLogger(Recoverer.class);
  private static final int BATCH = 1_000;
  private static final int MOST_BATCHES = 100;

  private final Recovery recovery;
  private final Scope scope;
  private final OrphanDecider decider;
  private final SignalBus bus;
  private final ConfirmedOutcomes confirmed;
  private final Telemetry telemetry;

  /** A node whose jobs have to be recovered. */
  record Lost(Holder holder, Loss loss) {}

  /**
   * @param scope what it recovers
   * @param confirmed announces the jobs that end
   */
  public Recoverer(
      Recovery recovery,
      Scope scope,
      OrphanDecider decider,
      SignalBus bus,
      ConfirmedOutcomes confirmed,
      Telemetry telemetry) {
    this.recovery = recovery;
    this.scope = scope;
    this.decider = decider;
    this.bus = bus;
    this.confirmed = confirmed;
    this.telemetry = telemetry;
  }

  /**
   * Recovers the jobs of these nodes. A failure for one node does not affect the others.
   *
   * @param all whether these are all dead nodes
   * @param onContact called whenever the database has executed a statement
   * @return how many jobs were recovered
   */
  SweepCounts recover(List<Lost> lost, boolean all, Runnable onContact) {
    SweepCounts counts = SweepCounts.NONE;
    decider.newSweep();
    for (Lost one : lost) {
      SweepSummary summary = new SweepSummary(bus, telemetry.meters(), confirmed);
      try {
        recoverAll(one, summary, onContact);
      } catch (RuntimeException failure) {
        log.warn(
            "Recovering the jobs of node {} failed, retrying at the next sweep",
            one.loss.id(),
            failure);
      }
      counts = counts.plus(summary.counts());
    }
    if (all) {
      decider.keepOnlyFound();
    }
    return counts;
  }

  private void recoverAll(Lost lost, SweepSummary tally, Runnable onContact) {
    if (lost.holder.silentAt() == null && lost.loss.death() == Death.SILENCE) {
      endSessions(lost);
    }
    try {
      recover(lost, tally, onContact);
    } finally {
      tally.announce(lost.loss);
    }
  }

  private void recover(Lost lost, SweepSummary tally, Runnable onContact) {
    List<Orphan> orphans = recovery.orphans(lost.holder, scope, BATCH);
    for (int batch = 1; !orphans.isEmpty(); batch++) {
      onContact.run();
      // Jobs with a recovery policy come last, those that it failed for at the very end: it is user
      // code and may hang.
      recover(lost, orphans.stream().filter(orphan -> !decider.asks(orphan)).toList(), tally);
      onContact.run();
      recover(
          lost,
          orphans.stream()
              .filter(decider::asks)
              .sorted(Comparator.comparingInt(decider::failuresOf))
              .toList(),
          tally);
      onContact.run();
      // Continue after these, recovered or not: jobs left to other nodes would be read again.
      Orphan last = orphans.get(orphans.size() - 1);
      orphans =
          orphans.size() < BATCH || batch == MOST_BATCHES
              ? List.of()
              : recovery.orphans(lost.holder, scope, last, BATCH);
    }
    onContact.run();
  }

  private void recover(Lost lost, List<Orphan> orphans, SweepSummary tally) {
    List<Orphan> ruled = new ArrayList<>();
    List<RecoveryAction> actions = new ArrayList<>();
    for (Orphan orphan : orphans) {
      decider
          .decide(orphan, lost.loss)
          .ifPresent(action -> {
            ruled.add(orphan);
            actions.add(action);
          });
    }
    List<Result> results = write(lost.holder, actions);
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) != Result.NOT_HELD) {
        Orphan orphan = ruled.get(i);
        telemetry.events().recovered(orphan, lost.holder.incarnation());
        tally.add(orphan, actions.get(i), results.get(i));
      }
    }
  }

  /**
   * Writes decisions. If the store rejects them, halves the batch until the one at fault is
   * isolated.
   */
  private List<Result> write(Holder holder, List<RecoveryAction> actions) {
    try {
      return recovery.recover(holder, actions);
    } catch (StoreException failure) {
      if (failure.outcome() != StoreException.Outcome.REFUSED) {
        throw failure;
      }
      if (actions.size() == 1) {
        log.error(
            "The store rejected the recovery of job {}; the job stays claimed by its dead node, and"
                + " recovery is retried at the next sweep",
            actions.get(0).claim().id(),
            failure);
        return List.of(Result.NOT_HELD);
      }
      int half = actions.size() / 2;
      List<Result> results = new ArrayList<>(write(holder, actions.subList(0, half)));
      results.addAll(write(holder, actions.subList(half, actions.size())));
      return results;
    }
  }

  /**
   * Ends database sessions of a dead node that hold locks. If that fails, for example because of
   * missing privileges, jobs that no session has locked are recovered all the same.
   */
  private void endSessions(Lost lost) {
    int ended;
    try {
      ended = recovery.endSessions(lost.holder.incarnation());
    } catch (RuntimeException failure) {
      log.warn(
          "The database sessions of dead node {} could not be ended; jobs that they have locked"
              + " stay claimed until the database ends the sessions: {}",
          lost.loss.id(),
          failure.getMessage());
      return;
    }
    if (ended > 0) {
      log.warn(
          "{} database sessions of dead node {} were ended, because they held locks on its jobs",
          ended,
          lost.loss.id());
    }
  }
}
