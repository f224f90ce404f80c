package dev.holdfast.tck.simulation;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.tck.fault.StoreMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes what calls of nodes have done to the checkers, and lets them check the invariants after
 * each change of the store.
 */
final class StoreObserver {
  /** Calls that change nothing, so no check follows them. */
  private static final Set<StoreMethod> READS =
      Set.of(
          StoreMethod.QUEUES_WITH_READY_JOBS,
          StoreMethod.FIND_JOBS,
          StoreMethod.LIST_JOBS,
          StoreMethod.LIST_QUEUES,
          StoreMethod.LIST_TASKS,
          StoreMethod.FIND_TRIGGER,
          StoreMethod.LIST_TRIGGERS,
          StoreMethod.LOOK,
          StoreMethod.LIST_NODES,
          StoreMethod.LIST_CLAIMS,
          StoreMethod.ORPHANS,
          StoreMethod.FIND_LEASE,
          StoreMethod.LIST_LEASES,
          StoreMethod.DUE,
          StoreMethod.LOOK_AT_SCHEDULE,
          StoreMethod.LOAD,
          StoreMethod.MARKED,
          StoreMethod.FIND_RUN,
          StoreMethod.LIST_SCHEDULES);

  private final InvariantChecker checker;
  private final LeaseChecker leases;
  private final RunChecker runs;
  private final Consumer<UUID> onSignOfLife;

  /**
   * @param onSignOfLife receives every incarnation whose heartbeat counter has advanced
   */
  StoreObserver(
      InvariantChecker checker, LeaseChecker leases, RunChecker runs, Consumer<UUID> onSignOfLife) {
    this.checker = checker;
    this.leases = leases;
    this.runs = runs;
    this.onSignOfLife = onSignOfLife;
  }

  /** Returns whether a call changes nothing. */
  static boolean isRead(Interposed.Call call) {
    return READS.stream().anyMatch(call::is);
  }

  /** Called after a call that is one statement was executed. */
  void executed(Interposed.Call call, @Nullable Object result) {
    if (call.role() instanceof LeaseStore) {
      noteGrants(call, result);
    } else if (!isRead(call)) {
      noteRuns(call, result);
      checker.check();
      noteStarts(call, result);
      noteJournals(call, result);
      noteEnds(call, result);
      noteRecoveries(call);
      noteSignsOfLife(call, result);
    }
  }

  /** Called after a transaction of several statements was committed. */
  void committed(Interposed.Call call, @Nullable Object result) {
    if (call.is(StoreMethod.START_RUN)) {
      noteRuns(call, result);
    } else {
      runs.check();
    }
    checker.check();
  }

  private void noteRuns(Interposed.Call call, @Nullable Object result) {
    if (call.is(StoreMethod.START_RUN) && result instanceof RunIntake.Admission admission) {
      runs.watch(admission.id());
    }
    if (call.is(StoreMethod.START_RUN) || call.is(StoreMethod.EXPRESS)) {
      runs.check();
    }
    for (ClaimedJob job : claimed(call, result)) {
      if (job.step() != null) {
        runs.claimed(job.id(), job.step());
      }
    }
  }

  /** Returns the jobs that a call has claimed, or handed over to the node that sent it. */
  private static List<ClaimedJob> claimed(Interposed.Call call, @Nullable Object result) {
    if (call.is(StoreMethod.CLAIM) && result instanceof List<?> claimed) {
      return claimed.stream().map(ClaimedJob.class::cast).toList();
    }
    return switch (result) {
      case RunAdvance.Expressed expressed -> expressed.started();
      case RunIntake.Admission admission -> admission.started();
      case null, default -> List.of();
    };
  }

  private void noteStarts(Interposed.Call call, @Nullable Object result) {
    for (ClaimedJob job : claimed(call, result)) {
      if (job.started()) {
        runs.started(job.id());
      }
    }
    if (call.is(StoreMethod.START) && result instanceof Set<?> started) {
      for (Object each : started) {
        if (each instanceof ClaimId claim && checker.hasJustStarted(claim.id())) {
          runs.started(claim.id());
        }
      }
    }
  }

  private void noteJournals(Interposed.Call call, @Nullable Object result) {
    if (call.is(StoreMethod.APPEND)
        && Boolean.TRUE.equals(result)
        && call.arguments().get(1) instanceof ClaimId claim
        && call.arguments().get(2) instanceof Journals.JournalEntry entry) {
      checker.journalled(claim, entry.key());
    }
  }

  private void noteGrants(Interposed.Call call, @Nullable Object result) {
    if (result instanceof LeaseStore.Result.Granted granted
        && call.arguments().get(0) instanceof LeaseRequest request
        && call.arguments().get(1) instanceof UUID acquisition) {
      leases.granted(request.key(), acquisition, granted.token());
    }
  }

  /** Records recovered jobs, which another node may start at once. */
  private void noteRecoveries(Interposed.Call call) {
    if (call.role() instanceof Recovery
        && call.is(StoreMethod.RECOVER)
        && call.arguments().get(1) instanceof List<?> actions) {
      for (Object each : actions) {
        if (each instanceof Recovery.RecoveryAction action) {
          checker
              .tokenThatEnded(action.claim().id())
              .ifPresent(token -> checker.recovered(action.claim().id(), token));
        }
      }
    }
  }

  private void noteSignsOfLife(Interposed.Call call, @Nullable Object result) {
    if (call.role() instanceof NodeStore && !call.arguments().isEmpty()) {
      if (call.arguments().get(0) instanceof NodeStore.NodeRegistration registration) {
        onSignOfLife.accept(registration.incarnation());
      } else if (call.arguments().get(0) instanceof NodeStore.Heartbeat beat
          && result instanceof Optional<?> reply
          && reply.isPresent()) {
        onSignOfLife.accept(beat.incarnation());
      }
    }
  }

  /**
   * Records the end of a job as an effect under its token. Of several reports about one job in a
   * batch, only the one under the current token had an effect; the others were repeats.
   */
  private void noteEnds(Interposed.Call call, @Nullable Object result) {
    if (result instanceof RunAdvance.Expressed expressed) {
      expressed
          .stored()
          .forEach(claim -> checker.effect(claim.id(), claim.token(), "its end was written"));
    }
    if (call.role() instanceof Outcomes && call.arguments().get(1) instanceof List<?> finishes) {
      Map<JobId, Long> writers = new LinkedHashMap<>();
      for (Object each : finishes) {
        if (each instanceof Finish finish) {
          JobId id = finish.claim().id();
          long token = finish.claim().token();
          checker
              .tokenThatEnded(id)
              .ifPresent(
                  held -> writers.merge(id, token, (one, other) -> one == held ? one : other));
        }
      }
      writers.forEach((id, token) -> checker.effect(id, token, "its end was written"));
    }
  }
}
