package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.liveness.CrashDecisions.Counsel;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.liveness.PolicyCalls.Undecided;
import dev.holdfast.engine.liveness.Sweeper.Parts;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes back the jobs of nodes that are gone. */
final class Recoverer {
  private static final Logger log = LoggerFactory.getLogger(Recoverer.class);
  private static final int BATCH = 1_000;
  private static final int MOST_BATCHES = 100;
  private static final Duration TO_DECIDE = Duration.ofSeconds(5);

  private final Parts parts;
  private final Runnable onContact;
  private final PolicyCalls policies;

  /** Which tasks and stacks other nodes have recovery policies for, as far as this sweep knows. */
  private final Map<List<Optional<String>>, Boolean> advised = new HashMap<>();

  /** Jobs of this sweep that policies failed for. */
  private final Set<ClaimId> undecided = new HashSet<>();

  /** A node whose jobs are to be taken back. */
  record Lost(Holder holder, Loss loss) {}

  /**
   * @param onContact told whenever the database has done something
   */
  Recoverer(Parts parts, Runnable onContact) {
    this.parts = parts;
    this.onContact = onContact;
    this.policies = new PolicyCalls(TO_DECIDE);
  }

  /**
   * Take back what these nodes held. Where that fails for one, the others do not wait for it.
   *
   * @param all whether these are all that there are
   */
  void recover(List<Lost> lost, boolean all) {
    policies.newSweep();
    advised.clear();
    undecided.clear();
    for (Lost one : lost) {
      try {
        recover(one);
      } catch (RuntimeException failure) {
        log.warn(
            "Recovering the jobs of node {} failed, retrying in {}",
            one.loss.id(),
            parts.interval(),
            failure);
      }
    }
    if (all) {
      policies.keepOnly(undecided);
    }
  }

  private void recover(Lost lost) {
    if (lost.holder.silentAt() == null && lost.loss.death() == Death.SILENCE) {
      endSessions(lost);
    }
    SweepSummary tally = new SweepSummary(parts.bus(), parts.meters(), parts.endings());
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
      // What user code decides comes last, and among it what failed before: it may hang.
      recover(lost, orphans.stream().filter(orphan -> !asks(orphan)).toList(), tally);
      recover(
          lost,
          orphans.stream()
              .filter(this::asks)
              .sorted(Comparator.comparingInt(orphan -> policies.failuresOf(orphan.claim())))
              .toList(),
          tally);
      // Behind those, whatever became of them: what is left to others would come up again.
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
    List<Result> answers = write(lost.holder, rulings);
    onContact.run();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) != Result.NOT_HELD) {
        Orphan orphan = ruled.get(i);
        parts.events().recovered(orphan, lost.holder.incarnation());
        tally.add(orphan, rulings.get(i), answers.get(i));
      }
    }
  }

  /** Write rulings, halving them where the store refuses them, until the one at fault is alone. */
  private List<Result> write(Holder holder, List<RecoveryAction> rulings) {
    try {
      return parts.recovery().recover(holder, rulings);
    } catch (StoreException failure) {
      if (failure.outcome() != StoreException.Outcome.REFUSED) {
        throw failure;
      }
      if (rulings.size() == 1) {
        log.error(
            "The store refused what was to become of job {}; it stays held, and is tried again at"
                + " the next sweep",
            rulings.get(0).claim().id(),
            failure);
        return List.of(Result.NOT_HELD);
      }
      int half = rulings.size() / 2;
      List<Result> answers = new ArrayList<>(write(holder, rulings.subList(0, half)));
      answers.addAll(write(holder, rulings.subList(half, rulings.size())));
      return answers;
    }
  }

  /** Decide about a job; empty to leave it to the next sweep, here or on another node. */
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
          new Counsel(recoveryPolicyOf(orphan).map(policies::inTime), () -> othersAdvise(orphan)));
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

  private Optional<RecoveryPolicy> recoveryPolicyOf(Orphan orphan) {
    return parts.tasks().find(orphan.task()).flatMap(TaskRegistry.Registered::recovery);
  }

  /** Whether a policy of this node is asked about a job, if it crashed. */
  private boolean asks(Orphan orphan) {
    return orphan.started()
        && recoveryPolicyOf(orphan).isPresent()
        && policyOf(orphan).action() == CrashPolicy.Action.ASK;
  }

  private Optional<RecoveryAction> withoutDecision(
      Orphan orphan, Loss loss, RuntimeException failure) {
    Throwable why =
        failure instanceof Undecided undecidedPolicy ? undecidedPolicy.reason() : failure;
    undecided.add(orphan.claim());
    if (why instanceof InterruptedException) {
      return Optional.empty(); // The node stops; the policy is not to blame.
    }
    int times = policies.failed(orphan.claim());
    boolean last = times >= PolicyCalls.MOST_FAILURES;
    log.error(
        "The recovery policy of {} failed for job {} (failure {} of {}); {}",
        orphan.task(),
        orphan.id(),
        times,
        PolicyCalls.MOST_FAILURES,
        last ? "the job is dead-lettered" : "it is asked again at the next sweep",
        why);
    return last
        ? Optional.of(CrashDecisions.withoutDecision(orphan, loss, times, why))
        : Optional.empty();
  }

  private boolean othersAdvise(Orphan orphan) {
    return advised.computeIfAbsent(
        List.of(Optional.of(orphan.task()), Optional.ofNullable(orphan.stack())),
        unknown -> parts.nodes().isAdvised(orphan.task(), orphan.stack()));
  }

  /**
   * Without the right to do so, or when it fails, what no session has locked is taken back all the
   * same.
   */
  private void endSessions(Lost lost) {
    int ended;
    try {
      ended = parts.recovery().endSessions(lost.holder.incarnation());
    } catch (RuntimeException failure) {
      log.warn(
          "The database sessions of node {} could not be ended; jobs that they lock stay held until"
              + " the database ends them: {}",
          lost.loss.id(),
          failure.getMessage());
      return;
    }
    if (ended > 0) {
      log.warn(
          "{} database sessions of node {} were ended: it is dead, and they held locks",
          ended,
          lost.loss.id());
    }
  }
}
