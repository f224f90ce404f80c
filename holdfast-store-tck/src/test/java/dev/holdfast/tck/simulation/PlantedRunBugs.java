package dev.holdfast.tck.simulation;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.testkit.memory.BrokenTransactions;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Realistic bugs of a store, in what it does for runs and durable steps. */
final class PlantedRunBugs {
  private PlantedRunBugs() {}

  /** A call that is intercepted, and the broken parts of the store. */
  private interface Broken {
    @Nullable Object call(Interposed.Call call, BrokenTransactions broken) throws Throwable;
  }

  private static PlantedBug in(StoreMethod method, Broken instead) {
    return in(Set.of(method), instead);
  }

  private static PlantedBug in(Set<StoreMethod> methods, Broken instead) {
    return PlantedBug.inDatabase(real -> {
      BrokenTransactions broken = new BrokenTransactions(real);
      return Interposed.on(
          real,
          call ->
              methods.stream().anyMatch(call::is) ? instead.call(call, broken) : call.proceed());
    });
  }

  /** Some jobs of steps end without a mark on their run. */
  static PlantedBug lostMarks() {
    return in(
        StoreMethod.FINISH,
        (call, broken) -> {
          Object result = call.proceed();
          broken.loseMarks((List<?>) call.arguments().get(1));
          return result;
        });
  }

  /** An advance does not keep its lock, so that two nodes can advance a run at once. */
  static PlantedBug noRunLock() {
    return planning((facts, broken) -> broken.unlock(facts.id()));
  }

  /** An advance deletes marks that were written after it read the outcomes. */
  static PlantedBug outcomesBeforeMarks() {
    return planning((facts, broken) -> broken.deleteUnreadMarks(facts.id(), facts.marks().size()));
  }

  /** A success is stored together with what was to follow it before the run changed. */
  static PlantedBug expressWithoutSeq() {
    return in(
        StoreMethod.EXPRESS,
        (call, broken) ->
            call.proceedWith(
                call.arguments().get(0),
                ((List<?>) call.arguments().get(1))
                    .stream().map(step -> broken.upToDate((RunAdvance.Express) step)).toList(),
                call.arguments().get(2)));
  }

  /** Something wrong that happens between reading and writing a run. */
  private interface Meanwhile {
    void happens(RunFacts facts, BrokenTransactions broken);
  }

  private static PlantedBug planning(Meanwhile meanwhile) {
    return in(
        StoreMethod.ADVANCE,
        (call, broken) ->
            call.proceedWith(
                call.arguments().get(0),
                watched(
                    (RunPlanner) call.arguments().get(1),
                    facts -> meanwhile.happens(facts, broken))));
  }

  private static RunPlanner watched(RunPlanner planner, Consumer<RunFacts> onPlan) {
    return new RunPlanner() {
      @Override
      public boolean knows(int definition) {
        return planner.knows(definition);
      }

      @Override
      public void learn(Definitions.Stored definition) {
        planner.learn(definition);
      }

      @Override
      public RunData.Needs needs(RunFacts facts) {
        return planner.needs(facts);
      }

      @Override
      public RunPlan plan(RunFacts facts, RunData data) {
        onPlan.accept(facts);
        return planner.plan(facts, data);
      }
    };
  }

  /** A pause forgets jobs that are CLAIMED. */
  static PlantedBug pauseWithoutClaimed() {
    return in(
        StoreMethod.PAUSE,
        (call, broken) ->
            broken.pauseWithoutClaimed((RunId) call.arguments().get(0), callable(call)));
  }

  /**
   * A job that is retried becomes SCHEDULED although its run is paused, and READY when it is due:
   * staging relies on the state of the job, as on PostgreSQL.
   */
  static PlantedBug retriesIgnorePauses() {
    return in(
        Set.of(StoreMethod.FINISH, StoreMethod.STAGE),
        (call, broken) -> broken.ignorePauses(callable(call)));
  }

  /** The result of a durable step is stored for a holder that has lost its claim. */
  static PlantedBug journalWithoutToken() {
    return in(
        StoreMethod.APPEND,
        (call, broken) ->
            broken.appendUnchecked(
                (ClaimId) call.arguments().get(1), (JournalEntry) call.arguments().get(2)));
  }

  /** A job is parked without looking for a signal that arrived meanwhile. */
  static PlantedBug parkWithoutLook() {
    return in(
        StoreMethod.FINISH,
        (call, broken) -> {
          Object result = call.proceed();
          broken.parkAgain((List<?>) call.arguments().get(1));
          return result;
        });
  }

  /** A limit on active runs admits one too many. */
  static PlantedBug limitsAdmitOneMore() {
    return in(
        StoreMethod.START_RUN,
        (call, broken) ->
            call.proceedWith(
                withLargerGate((NewRun) call.arguments().get(0)),
                call.arguments().get(1),
                call.arguments().get(2)));
  }

  /** A limit on active runs counts a run that has just ended, and lets no other one through. */
  static PlantedBug limitsCountEndedRuns() {
    return in(
        Set.of(StoreMethod.ADVANCE, StoreMethod.EXPRESS, StoreMethod.CANCEL_RUN),
        (call, broken) -> broken.admitNone(callable(call)));
  }

  /** The deadline of a run is forgotten if it comes while the run is paused. */
  static PlantedBug deadlinesMissPausedRuns() {
    return in(
        StoreMethod.FIRE_TIMERS,
        (call, broken) -> {
          broken.forgetDeadlinesOfPausedRuns();
          return call.proceed();
        });
  }

  /** A run that repeats another one does not get its results. */
  static PlantedBug rerunsLoseResults() {
    return in(
        StoreMethod.START_RUN,
        (call, broken) ->
            call.proceedWith(
                withoutResults((NewRun) call.arguments().get(0)),
                call.arguments().get(1),
                call.arguments().get(2)));
  }

  /** A run is moved to another graph, but its jobs keep the old positions of their steps. */
  static PlantedBug movesLeaveJobs() {
    return in(
        StoreMethod.MOVE_RUN,
        (call, broken) -> broken.keepPositions((RunId) call.arguments().get(0), callable(call)));
  }

  /** A step in a transaction is committed without its journal entry. */
  static PlantedBug transactionsWithoutEntries() {
    return in(
        StoreMethod.APPEND,
        (call, broken) ->
            ((JournalEntry) call.arguments().get(2)).kind() == EntryKind.TRANSACTION
                ? Boolean.valueOf(
                    broken.isHeld(
                        (UUID) call.arguments().get(0), (ClaimId) call.arguments().get(1)))
                : call.proceed());
  }

  private static NewRun withLargerGate(NewRun run) {
    NewRun.Gate gate = run.content().gate();
    return copy(
        run,
        gate == null ? null : new NewRun.Gate(gate.key(), gate.count() + 1, gate.onFull()),
        run.content().inherited());
  }

  private static NewRun withoutResults(NewRun run) {
    return copy(run, run.content().gate(), List.of());
  }

  private static NewRun copy(
      NewRun run, NewRun.@Nullable Gate gate, List<RunPlan.Result> inherited) {
    NewRun.Content content = run.content();
    return new NewRun(
        run.id(),
        run.mayExist(),
        new NewRun.Content(
            content.definition(),
            content.workflow(),
            content.input(),
            content.unique(),
            content.tags(),
            content.label(),
            content.priority(),
            gate,
            content.parent(),
            content.origin(),
            content.source(),
            inherited),
        run.first());
  }

  private static Callable<@Nullable Object> callable(Interposed.Call call) {
    return () -> {
      try {
        return call.proceed();
      } catch (Exception | Error thrown) {
        throw thrown;
      } catch (Throwable impossible) {
        throw new IllegalStateException(impossible);
      }
    };
  }
}
