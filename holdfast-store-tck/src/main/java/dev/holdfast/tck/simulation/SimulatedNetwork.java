package dev.holdfast.tck.simulation;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.tck.fault.StoreMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The network between one host and the store. A request takes time to arrive, is executed even if
 * its sender has died meanwhile, and its reply takes time to return. The calling thread waits for
 * it.
 */
final class SimulatedNetwork implements Interposed.Between {
  private static final long PATIENCE = 3_000_000_000L;

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

  private static final long SECOND = 1_000_000_000L;

  private final Timeline timeline;
  private final Host host;
  private final FaultModel faultModel;
  private final InvariantChecker checker;
  private final LeaseChecker leases;
  private final RunChecker runs;
  private final StepTransactions transactions;
  private final Trace trace;
  private final SplittableRandom random;
  private final Consumer<UUID> onSignOfLife;

  /**
   * @param onSignOfLife receives every incarnation whose heartbeat counter has advanced
   */
  SimulatedNetwork(
      Timeline timeline,
      Host host,
      FaultModel faultModel,
      InvariantChecker checker,
      LeaseChecker leases,
      RunChecker runs,
      Trace trace,
      Consumer<UUID> onSignOfLife) {
    this.onSignOfLife = onSignOfLife;
    this.timeline = timeline;
    this.host = host;
    this.faultModel = faultModel;
    this.checker = checker;
    this.leases = leases;
    this.runs = runs;
    this.transactions = new StepTransactions(checker);
    this.trace = trace;
    this.random = host.chance();
  }

  /** A request and its outcome. */
  private static final class Exchange {
    final Interposed.Call call;
    final boolean diesWithSender;
    boolean arrived;
    @Nullable Object result;
    @Nullable Throwable failure;

    Exchange(Interposed.Call call, boolean diesWithSender) {
      this.call = call;
      this.diesWithSender = diesWithSender;
    }
  }

  @Override
  public @Nullable Object call(Interposed.Call call) throws Throwable {
    SimulatedThread me = timeline.running();
    if (host.isCrashed()) {
      throw new SimulatedThread.Crashed();
    }
    long patience = patienceOf(call);
    if (host.isCutOff()) {
      me.sleepUntil(timeline.now() + random.nextLong(1_000_000, patience));
      throw broken(Outcome.RETRYABLE, call);
    }
    if (isTransaction(call)) {
      return transact(call, me);
    }
    long sent = timeline.now();
    FaultModel.Trip trip = faultModel.trip(patience);
    Exchange exchange = new Exchange(call, random.nextBoolean());
    timeline.at(sent + trip.there(), () -> arrive(exchange));
    strike(sent, Math.min(trip.there() + trip.back(), trip.patience()));
    me.sleepUntil(sent + Math.min(trip.there() + trip.back(), trip.patience()));
    // A caller that was paused may find a reply that arrived after it would have given up.
    boolean replied = timeline.now() >= sent + trip.there() + trip.back();
    if (!exchange.arrived || !replied || trip.replyLost() || host.isCutOff()) {
      throw broken(Outcome.UNKNOWN, call);
    }
    if (exchange.failure != null) {
      throw exchange.failure;
    }
    return exchange.result;
  }

  /** Returns whether a call is several statements: the others are one. */
  private static boolean isTransaction(Interposed.Call call) {
    return call.is(StoreMethod.ADVANCE)
        || call.is(StoreMethod.STEP_TRANSACTION)
        || call.role() instanceof RunControl
        || (call.is(StoreMethod.START_RUN)
            && call.arguments().get(0) instanceof NewRun run
            && run.gate() != null
            && run.gate().onFull() == MaxActive.OnFull.REPLACE);
  }

  /**
   * Executes a transaction of several statements, which the caller sends one after another. If it
   * crashes between them, nothing is committed; if it is paused, its locks remain.
   */
  private @Nullable Object transact(Interposed.Call call, SimulatedThread me) throws Throwable {
    long sent = timeline.now();
    FaultModel.Trip trip = faultModel.trip(PATIENCE);
    strike(sent, Math.min(trip.there() + trip.back(), SECOND / 20));
    me.sleepUntil(sent + Math.min(trip.there(), trip.patience()));
    requireConnection(call);
    if (trip.there() > trip.patience()) {
      throw broken(Outcome.RETRYABLE, call);
    }
    Object result =
        call.is(StoreMethod.STEP_TRANSACTION)
            ? transactions.execute(call, () -> requireConnection(call))
            : call.proceed();
    trace.note(host.name(), call, result);
    if (call.is(StoreMethod.START_RUN)) {
      noteRuns(call, result);
    } else {
      runs.check();
    }
    checker.check();
    me.sleepUntil(timeline.now() + trip.back());
    if (trip.replyLost() || host.isCutOff()) {
      throw broken(Outcome.UNKNOWN, call);
    }
    return result;
  }

  private void requireConnection(Interposed.Call call) {
    if (faultModel.isStoreAway() || faultModel.isStoreReadOnly() || host.isCutOff()) {
      throw broken(Outcome.RETRYABLE, call);
    }
  }

  /** Returns how long the caller waits. A heartbeat states its own timeout. */
  private static long patienceOf(Interposed.Call call) {
    return call.arguments().size() == 1
            && call.arguments().get(0) instanceof NodeStore.Heartbeat beat
        ? beat.patience().toNanos()
        : PATIENCE;
  }

  /** Crashes or pauses the process at a random time during a call, where most steps happen. */
  private void strike(long sent, long took) {
    if (faultModel.strikes(0.002)) {
      timeline.at(
          sent + random.nextLong(took),
          () -> {
            if (!host.isCrashed()) {
              trace.note(host.name(), "crashes in the middle of a call");
              host.crash();
            }
          });
    } else if (faultModel.strikes(0.002)) {
      timeline.at(
          sent + random.nextLong(took),
          () -> {
            trace.note(host.name(), "is paused in the middle of a call");
            host.pause(random.nextLong(SECOND / 10, 9 * SECOND));
          });
    }
  }

  private void arrive(Exchange exchange) {
    if (host.isCrashed() && exchange.diesWithSender) {
      return;
    }
    exchange.arrived = true;
    if (faultModel.isStoreAway()) {
      exchange.failure = broken(Outcome.RETRYABLE, exchange.call);
      return;
    }
    if (faultModel.isStoreReadOnly() && !isRead(exchange.call)) {
      exchange.failure =
          new StoreException(
              Outcome.RETRYABLE,
              "The server is read-only and rejects %s.".formatted(exchange.call.name()),
              null);
      return;
    }
    try {
      exchange.result = exchange.call.proceed();
    } catch (Throwable thrown) {
      exchange.failure = thrown;
    }
    trace.note(host.name(), exchange.call, exchange.result);
    if (exchange.call.role() instanceof LeaseStore) {
      noteGrants(exchange.call, exchange.result);
    } else if (!isRead(exchange.call)) {
      noteRuns(exchange.call, exchange.result);
      checker.check();
      noteStarts(exchange.call, exchange.result);
      noteJournals(exchange.call, exchange.result);
      noteEnds(exchange.call, exchange.result);
      noteRecoveries(exchange.call);
      noteSignsOfLife(exchange.call, exchange.result);
    }
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

  private static boolean isRead(Interposed.Call call) {
    return READS.stream().anyMatch(call::is);
  }

  private static StoreException broken(Outcome outcome, Interposed.Call call) {
    return new StoreException(outcome, "The connection broke during " + call.name() + ".", null);
  }
}
