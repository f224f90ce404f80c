package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.task.RecoveryPolicy.Decision;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.liveness.CrashDecisions.Counsel;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.liveness.PolicyCalls.Undecided;
import dev.holdfast.engine.liveness.Sweeper.Parts;
import dev.holdfast.engine.run.TaskRegistry.Registered;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Recovers the jobs of dead nodes. */
final class Recoverer {
  private static final Logger log = LoggerFactory.getLogger(Recoverer.class);
  private static final int BATCH = 1_000;
  private static final int MOST_BATCHES = 100;
  private static final Duration TO_DECIDE = Duration.ofSeconds(5);

  private final Parts parts;
  private final Runnable onContact;
  private final PolicyCalls policies;
  private final AwaitedPolicies awaited;

  /** The jobs of this sweep whose policies failed. */
  private final Set<ClaimId> undecided = new HashSet<>();

  /** A node whose jobs have to be recovered. */
  record Lost(Holder holder, Loss loss) {}

  /**
   * @param onContact called whenever the database has executed a statement
   */
  Recoverer(Parts parts, Runnable onContact) {
    this.parts = parts;
    this.onContact = onContact;
    this.policies = new PolicyCalls(TO_DECIDE);
    this.awaited = new AwaitedPolicies(parts.nodes(), parts.ticker(), parts.policies().awaited());
  }

  /**
   * Recovers the jobs of these nodes. A failure for one node does not affect the others.
   *
   * @param all whether these are all dead nodes
   * @return how many jobs were recovered
   */
  SweepCounts recover(List<Lost> lost, boolean all) {
    SweepCounts counts = SweepCounts.NONE;
    policies.newSweep();
    awaited.newSweep();
    undecided.clear();
    for (Lost one : lost) {
      SweepSummary summary = new SweepSummary(parts.bus(), parts.meters(), parts.endings());
      try {
        recoverAll(one, summary);
      } catch (RuntimeException failure) {
        log.warn(
            "Recovering the jobs of node {} failed, retrying in {} ms",
            one.loss.id(),
            parts.interval().toMillis(),
            failure);
      }
      counts = counts.plus(summary.counts());
    }
    if (all) {
      policies.keepOnly(undecided);
      awaited.keepOnlyFound();
    }
    return counts;
  }

  private void recoverAll(Lost lost, SweepSummary tally) {
    if (lost.holder.silentAt() == null && lost.loss.death() == Death.SILENCE) {
      endSessions(lost);
    }
    try {
      recover(lost, tally);
    } finally {
      tally.announce(lost.loss);
    }
  }

  private void recover(Lost lost, SweepSummary tally) {
    List<Orphan> orphans = parts.recovery().orphans(lost.holder, parts.scope(), BATCH);
    for (int batch = 1; !orphans.isEmpty(); batch++) {
      onContact.run();
      // Jobs that user code decides about come last, those it failed for at the end: it may hang.
      recover(lost, orphans.stream().filter(orphan -> !asks(orphan)).toList(), tally);
      recover(
          lost,
          orphans.stream()
              .filter(this::asks)
              .sorted(Comparator.comparingInt(orphan -> policies.failuresOf(orphan.claim())))
              .toList(),
          tally);
      // Continue after these, recovered or not: jobs left to other nodes would be read again.
      Orphan last = orphans.get(orphans.size() - 1);
      orphans =
          orphans.size() < BATCH || batch == MOST_BATCHES
              ? List.of()
              : parts.recovery().orphans(lost.holder, parts.scope(), last, BATCH);
    }
    onContact.run();
  }

  private void recover(Lost lost, List<Orphan> orphans, SweepSummary tally) {
    List<Orphan> ruled = new ArrayList<>();
    List<RecoveryAction> rulings = new ArrayList<>();
    for (Orphan orphan : orphans) {
      rule(orphan, lost.loss)
          .ifPresent(ruling -> {
            ruled.add(orphan);
            rulings.add(ruling);
          });
    }
    List<Result> results = write(lost.holder, rulings);
    onContact.run();
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) != Result.NOT_HELD) {
        Orphan orphan = ruled.get(i);
        parts.events().recovered(orphan, lost.holder.incarnation());
        tally.add(orphan, rulings.get(i), results.get(i));
      }
    }
  }

  /**
   * Writes decisions. If the store rejects them, halves the batch until the one at fault is
   * isolated.
   */
  private List<Result> write(Holder holder, List<RecoveryAction> rulings) {
    try {
      return parts.recovery().recover(holder, rulings);
    } catch (StoreException failure) {
      if (failure.outcome() != StoreException.Outcome.REFUSED) {
        throw failure;
      }
      if (rulings.size() == 1) {
        log.error(
            "The store rejected the recovery of job {}; the job stays claimed by its dead node, and"
                + " recovery is retried at the next sweep",
            rulings.get(0).claim().id(),
            failure);
        return List.of(Result.NOT_HELD);
      }
      int half = rulings.size() / 2;
      List<Result> results = new ArrayList<>(write(holder, rulings.subList(0, half)));
      results.addAll(write(holder, rulings.subList(half, rulings.size())));
      return results;
    }
  }

  /** Decides about a job; empty to leave it to the next sweep, on this node or another. */
  private Optional<RecoveryAction> rule(Orphan orphan, Loss loss) {
    boolean asks = asks(orphan);
    if (asks && policies.isOutOfTime()) {
      undecided.add(orphan.claim());
      return Optional.empty();
    }
    try {
      return CrashDecisions.rule(
          orphan,
          loss,
          policyOf(orphan),
          new Counsel(ownPolicy(orphan, loss), () -> awaited.awaits(orphan)));
    } catch (Undecided undecidedPolicy) {
      return withoutDecision(orphan, loss, undecidedPolicy);
    } catch (RuntimeException nothing) {
      if (!asks) {
        throw nothing;
      }
      return withoutDecision(orphan, loss, nothing); // It returned null, or a null delay.
    }
  }

  private static CrashPolicy policyOf(Orphan orphan) {
    return JobPolicyJson.readAnyhow(orphan.policy(), orphan.id()).crashOrDefault();
  }

  /** Returns a call of the recovery policy that this node has for a job. */
  private Optional<Supplier<Decision>> ownPolicy(Orphan orphan, Loss loss) {
    return parts
        .policies()
        .tasks()
        .find(orphan.task())
        .flatMap(task -> call(task, orphan, loss))
        .map(call -> () -> policies.decide(call));
  }

  private <P> Optional<Supplier<Decision>> call(Registered<P, ?> task, Orphan orphan, Loss loss) {
    return task.recovery()
        .map(policy ->
            () ->
                policy.onCrash(
                    CrashedJob.of(
                        orphan,
                        loss,
                        parts.policies().jobs(),
                        text -> parts.policies().codec().decode(text, task.type().payload()))));
  }

  private boolean hasPolicy(Orphan orphan) {
    return parts
        .policies()
        .tasks()
        .find(orphan.task())
        .filter(task -> task.recovery().isPresent())
        .isPresent();
  }

  /** Returns whether a recovery policy of this node decides about a job, if it crashed. */
  private boolean asks(Orphan orphan) {
    return orphan.started()
        && hasPolicy(orphan)
        && policyOf(orphan).action() == CrashPolicy.Action.ASK;
  }

  private Optional<RecoveryAction> withoutDecision(
      Orphan orphan, Loss loss, RuntimeException failure) {
    Throwable why =
        failure instanceof Undecided undecidedPolicy ? undecidedPolicy.reason() : failure;
    undecided.add(orphan.claim());
    if (why instanceof InterruptedException) {
      return Optional.empty(); // The node is stopping; this is not a failure of the policy.
    }
    int times = policies.failed(orphan.claim());
    boolean last = times >= PolicyCalls.MOST_FAILURES;
    log.error(
        "The recovery policy of task {} failed for job {} (failure {} of {}); {}",
        orphan.task(),
        orphan.id(),
        times,
        PolicyCalls.MOST_FAILURES,
        last ? "the job is dead-lettered" : "it is called again at the next sweep",
        why);
    return last
        ? Optional.of(CrashDecisions.withoutDecision(orphan, loss, times, why))
        : Optional.empty();
  }

  /**
   * Ends database sessions of a dead node that hold locks. If that fails, for example because of
   * missing privileges, jobs that no session has locked are recovered all the same.
   */
  private void endSessions(Lost lost) {
    int ended;
    try {
      ended = parts.recovery().endSessions(lost.holder.incarnation());
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
