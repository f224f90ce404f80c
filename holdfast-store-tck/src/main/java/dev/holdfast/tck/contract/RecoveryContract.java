package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish.Failure;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.Dead;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import dev.holdfast.engine.store.Recovery.Scope;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Finding dead nodes, and recovering the jobs that they held. */
public abstract class RecoveryContract extends Contract {
  private static final Duration SILENCE = Duration.ofSeconds(61);

  private static Failure crash(ClaimedJob job) {
    return new Failure(
        job.attempt(), FailureCode.WORKER_CRASHED, null, "Its node died.", null, "node-1");
  }

  private Optional<Pulse> pulse(Worker worker) {
    return store.nodes().look(freshIncarnation(), PLENTY, false).watched().stream()
        .filter(pulse -> pulse.incarnation().equals(worker.incarnation()))
        .findAny();
  }

  private Optional<Dead> dead(Worker worker) {
    return store.nodes().look(freshIncarnation(), PLENTY, true).dead().stream()
        .filter(dead -> dead.incarnation().equals(worker.incarnation()))
        .findAny();
  }

  private void kill(Worker worker) {
    long beat = pulse(worker).orElseThrow().beat();
    assertThat(store.nodes().markDead(worker.incarnation(), beat, SILENCE)).isTrue();
  }

  private List<Orphan> orphans(Worker worker) {
    return store.recovery().orphans(Holder.dead(worker.incarnation()), Scope.ALL, PLENTY);
  }

  private List<Result> recover(Worker holder, RecoveryAction... actions) {
    return store.recovery().recover(Holder.dead(holder.incarnation()), List.of(actions));
  }

  @Test
  void aLookReturnsLiveNodesAndTheirHeartbeats() {
    Worker worker = worker();
    worker.beat();
    worker.beat();

    assertThat(pulse(worker))
        .hasValueSatisfying(pulse -> {
          assertThat(pulse.beat()).isEqualTo(2);
          assertThat(pulse.id()).isEqualTo(worker.registration().id());
          assertThat(pulse.timeouts()).isEqualTo(worker.registration().timeouts());
        });
  }

  @Test
  void aLookReturnsDeadNodesWhileTheyHoldJobs() {
    Worker worker = worker();
    enqueue(job());
    ClaimedJob held = worker.claimOne();
    kill(worker);

    assertThat(pulse(worker)).isEmpty();
    assertThat(dead(worker))
        .contains(
            new Dead(worker.incarnation(), worker.registration().id(), Death.SILENCE, SILENCE));
    recover(worker, new RecoveryAction.NotStarted(held.claim()));
    assertThat(dead(worker)).isEmpty();
  }

  @Test
  void aNodeThatHasRegisteredAgainSinceIsNotMarkedDead() {
    Worker worker = worker();
    long seen = pulse(worker).orElseThrow().beat();
    store.nodes().register(worker.registration());

    assertThat(store.nodes().markDead(worker.incarnation(), seen, SILENCE)).isFalse();
    assertThat(pulse(worker).orElseThrow().beat()).isNotEqualTo(seen);
  }

  @Test
  void aNodeThatHasSentAHeartbeatSinceIsNotMarkedDead() {
    Worker worker = worker();
    long seen = pulse(worker).orElseThrow().beat();
    worker.beat();

    assertThat(store.nodes().markDead(worker.incarnation(), seen, SILENCE)).isFalse();
    assertThat(store.nodes().beat(worker.incarnation(), 0)).isPresent();
  }

  @Test
  void aNodeMarkedDeadCanNeitherSendHeartbeatsNorClaim() {
    Worker worker = worker();
    enqueue(job());
    kill(worker);

    assertThat(store.nodes().beat(worker.incarnation(), 0)).isEmpty();
    assertThat(worker.claim(1)).isEmpty();
    store.nodes().register(worker.registration());
    assertThat(store.nodes().beat(worker.incarnation(), 0)).isEmpty();
  }

  @Test
  void registeringANewIncarnationMarksTheOldOneDeadInTheSameStep() {
    Worker old = worker("node-1");
    enqueue(job());
    old.claimOne();
    store
        .nodes()
        .register(
            Worker.registration("node-1", Set.of(QUEUE), Set.of(TASK)),
            Modes.FULL,
            old.incarnation());

    assertThat(store.nodes().beat(old.incarnation(), 0)).isEmpty();
    assertThat(dead(old).orElseThrow().death()).isEqualTo(Death.SELF_DECLARED);
  }

  @Test
  void theJobsOfALiveNodeAreNoOrphans() {
    Worker worker = worker();
    enqueue(job());
    ClaimedJob held = worker.claimOne();

    assertThat(orphans(worker)).isEmpty();
    assertThat(recover(worker, new RecoveryAction.NotStarted(held.claim())))
        .containsExactly(Result.NOT_HELD);
    assertThat(worker.succeed(held)).isEqualTo(Outcomes.Result.WRITTEN);
  }

  @Test
  void anOrphanDescribesItsJob() {
    Worker worker = worker();
    enqueueAll(job(), job());
    List<ClaimedJob> held = worker.claim(1, 1, null);
    kill(worker);

    assertThat(orphans(worker))
        .extracting(Orphan::claim, Orphan::task, Orphan::queue, Orphan::started, Orphan::attempt)
        .containsExactlyInAnyOrder(
            tuple(held.get(0).claim(), TASK, QUEUE, true, 1),
            tuple(held.get(1).claim(), TASK, QUEUE, false, 0));
  }

  @Test
  void theScopeLimitsWhichOrphansAreFound() {
    Worker worker = worker();
    enqueueAll(job(), job());
    List<ClaimedJob> held = worker.claim(1, 1, null);
    kill(worker);
    Holder dead = Holder.dead(worker.incarnation());

    assertThat(store.recovery().orphans(dead, new Scope(true, false, null), PLENTY))
        .extracting(Orphan::claim)
        .containsExactly(held.get(1).claim());
    assertThat(store.recovery().orphans(dead, new Scope(false, true, null), PLENTY))
        .extracting(Orphan::claim)
        .containsExactly(held.get(0).claim());
    assertThat(store.recovery().orphans(dead, Scope.ALL, 1)).hasSize(1);
  }

  /**
   * Returns the jobs that a node of these stacks recovers from a dead node that held one job of
   * each stack and one without a stack.
   */
  private List<String> recoveredFor(@Nullable Set<String> stacks) {
    Worker worker = serving("node-1", "blue", "green");
    enqueueAll(job().stack("blue"), job().stack("green"), job());
    assertThat(worker.claim(3)).hasSize(3);
    kill(worker);
    return store
        .recovery()
        .orphans(Holder.dead(worker.incarnation()), new Scope(true, true, stacks), PLENTY)
        .stream()
        .map(orphan -> String.valueOf(orphan.stack()))
        .sorted()
        .toList();
  }

  @Test
  void aNodeRecoversJobsOfItsStackAndJobsWithoutAStack() {
    assertThat(recoveredFor(Set.of("blue"))).containsExactly("blue", "null");
  }

  @Test
  void aNodeOfAnotherStackRecoversOnlyJobsWithoutAStack() {
    assertThat(recoveredFor(Set.of("red"))).containsExactly("null");
  }

  @Test
  void aNodeThatServesSeveralStacksRecoversJobsOfAllOfThem() {
    assertThat(recoveredFor(Set.of("blue", "green"))).containsExactly("blue", "green", "null");
  }

  @Test
  void aNodeWithoutAStackRecoversJobsOfAllStacks() {
    assertThat(recoveredFor(null)).containsExactly("blue", "green", "null");
  }

  @Test
  void aRecoveredJobStaysInItsStack() {
    Worker blue = serving("node-1", "blue");
    JobId id = enqueue(job().stack("blue"));
    ClaimedJob held = blue.claimOne();
    kill(blue);
    assertThat(
            recover(
                blue,
                new RecoveryAction.AfterCrash(
                    held.claim(), Duration.ZERO, Suspicion.NONE, crash(held))))
        .containsExactly(Result.DONE);

    assertThat(worker("plain").claim(1)).isEmpty();
    assertThat(serving("green-1", "green").claim(1)).isEmpty();
    assertThat(serving("blue-2", "blue").claimOne().id()).isEqualTo(id);
  }

  @Test
  void orphansAreReturnedInPages() {
    Worker worker = worker();
    enqueueAll(job(), job(), job(), job(), job());
    worker.claim(2);
    worker.claim(2);
    worker.prefetch(1);
    kill(worker);
    Holder dead = Holder.dead(worker.incarnation());

    List<Orphan> seen = new ArrayList<>();
    for (int look = 0; look < 5; look++) {
      Orphan last = seen.isEmpty() ? null : seen.get(seen.size() - 1);
      List<Orphan> next = store.recovery().orphans(dead, Scope.ALL, last, 1);
      assertThat(next).hasSize(1);
      seen.addAll(next);
    }

    assertThat(seen).containsExactlyElementsOf(orphans(worker)).doesNotHaveDuplicates();
    assertThat(seen).extracting(Orphan::claimNo).containsExactly(1L, 1L, 2L, 2L, 3L);
    assertThat(store.recovery().orphans(dead, Scope.ALL, seen.get(4), 1)).isEmpty();
  }

  @Test
  void theAdviceOfANodeAppliesToItsTasksAndStacks() {
    NodeRegistration plain = Worker.registration("node-1", Set.of(QUEUE), Set.of(TASK));
    Advice advice = new Advice(Set.of(TASK), Set.of("blue"));
    NodeRegistration registration =
        new NodeRegistration(
            plain.incarnation(),
            plain.id(),
            plain.name(),
            plain.host(),
            plain.pid(),
            plain.version(),
            plain.timeouts(),
            plain.queues(),
            plain.tasks(),
            plain.capacity(),
            "blue",
            Set.of("blue", "green"),
            plain.roles(),
            advice);
    store.nodes().register(registration);

    assertThat(store.nodes().isAdvised(TASK, null)).isTrue();
    assertThat(store.nodes().isAdvised(TASK, "blue")).isTrue();
    assertThat(store.nodes().isAdvised(TASK, "green")).isFalse();
    assertThat(store.nodes().isAdvised("another", null)).isFalse();
    assertThat(store.nodes().list())
        .extracting(NodeSnapshot::registration)
        .containsExactly(registration);
    assertThat(advice.covers(TASK, null)).isTrue();
    assertThat(advice.covers(TASK, "blue")).isTrue();
    assertThat(advice.covers(TASK, "green")).isFalse();
    assertThat(advice.covers("another", null)).isFalse();
    store
        .nodes()
        .setModes(registration.incarnation(), Modes.FULL, new Modes(NodeMode.DISABLED, Map.of()));
    assertThat(store.nodes().isAdvised(TASK, null)).isFalse();
  }

  @Test
  void aRecoveredJobThatWasOnlyClaimedUsesNoAttempt() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.prefetchOne();
    kill(worker);

    assertThat(recover(worker, new RecoveryAction.NotStarted(held.claim())))
        .containsExactly(Result.DONE);
    assertThat(find(id).state()).isEqualTo(JobState.READY);
    assertThat(find(id).attempt()).isZero();
    assertThat(find(id).failures()).isEmpty();
    ClaimedJob again = worker("node-2").claimOne();
    assertThat(again.token()).isGreaterThan(held.token());
    assertThat(again.crashes()).isZero();
  }

  @Test
  void aRecoveredJobThatRanIsReadyWithACrashRecordedAndUsesNoAttempt() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    kill(worker);

    assertThat(
            recover(
                worker,
                new RecoveryAction.AfterCrash(
                    held.claim(), Duration.ZERO, Suspicion.NONE, crash(held))))
        .containsExactly(Result.DONE);

    assertThat(find(id).state()).isEqualTo(JobState.READY);
    assertThat(find(id).attempt()).isZero();
    assertThat(find(id).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.WORKER_CRASHED);
    ClaimedJob again = worker("node-2").claimOne();
    assertThat(again.crashes()).isEqualTo(1);
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.token()).isGreaterThan(held.token());
  }

  @Test
  void queuesWithReadyCrashSuspectsAreFound() {
    enqueue(job());
    for (int crashes = 1; crashes <= 3; crashes++) {
      Worker worker = worker("node-" + crashes);
      ClaimedJob held = worker.claimOne();
      kill(worker);
      recover(
          worker,
          new RecoveryAction.AfterCrash(held.claim(), Duration.ZERO, Suspicion.NONE, crash(held)));

      assertThat(store.claims().queuesWithReadyJobs(Set.of(QUEUE), Set.of(TASK), Set.of()))
          .as("after %d crashes", crashes)
          .containsExactly(QUEUE);
    }
  }

  @Test
  void onlyJobsThatNeverStartedExpireAfterRecovery() {
    Worker worker = worker();
    List<JobId> ids =
        enqueueAll(
            job().startWithin(Duration.ofMinutes(1)), job().startWithin(Duration.ofMinutes(1)));
    List<ClaimedJob> held = worker.claim(1, 1, null);
    worker.leave();
    passTime(Duration.ofMinutes(2));
    recover(
        worker,
        new RecoveryAction.NotStarted(held.get(0).claim()),
        new RecoveryAction.NotStarted(held.get(1).claim()));
    stage();

    assertThat(stateOf(ids.get(0))).isEqualTo(JobState.READY);
    assertThat(stateOf(ids.get(1))).isEqualTo(JobState.EXPIRED);
  }

  @Test
  void aCrashedJobMayHaveToWait() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    kill(worker);

    recover(
        worker,
        new RecoveryAction.AfterCrash(
            held.claim(), Duration.ofSeconds(30), Suspicion.NONE, crash(held)));

    assertThat(find(id).state()).isEqualTo(JobState.SCHEDULED);
  }

  @Test
  void aJobDeadLetteredByRecoveryKeepsItsToken() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    kill(worker);

    assertThat(recover(worker, new RecoveryAction.DeadLetter(held.claim(), crash(held))))
        .containsExactly(Result.DONE);

    assertThat(find(id).state()).isEqualTo(JobState.FAILED);
    assertThat(find(id).fencingToken()).isEqualTo(held.token());
    assertThat(find(id).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.WORKER_CRASHED);
  }

  @Test
  void aRecoveredJobWithACancelRequestIsNotRunAgain() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    store.control().cancel(id);
    kill(worker);

    assertThat(
            recover(
                worker,
                new RecoveryAction.AfterCrash(
                    held.claim(), Duration.ZERO, Suspicion.NONE, crash(held))))
        .containsExactly(Result.CANCELLED_INSTEAD);
    assertThat(find(id).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aDecisionThatCannotBeStoredFailsAndChangesNothing() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    kill(worker);
    Failure bad =
        new Failure(1, FailureCode.WORKER_CRASHED, null, "Its node died:\0", null, "node-1");

    assertThatThrownBy(() -> recover(worker, new RecoveryAction.DeadLetter(held.claim(), bad)))
        .isInstanceOfSatisfying(
            StoreException.class,
            refusal -> assertThat(refusal.outcome()).isEqualTo(StoreException.Outcome.REFUSED));
    assertThat(find(id).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void nothingIsRecoveredUnderAnOldToken() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    kill(worker);
    ClaimId old = new ClaimId(id, held.token() - 1);

    assertThat(recover(worker, new RecoveryAction.NotStarted(old)))
        .containsExactly(Result.NOT_HELD);
    assertThat(find(id).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void writesOfTheDeadHolderChangeNothingAfterRecovery() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    kill(worker);
    recover(
        worker,
        new RecoveryAction.AfterCrash(held.claim(), Duration.ZERO, Suspicion.NONE, crash(held)));

    assertThat(worker.succeed(held)).isEqualTo(Outcomes.Result.LOST);
    assertThat(worker.failPermanently(held)).isEqualTo(Outcomes.Result.LOST);
    assertThat(worker.retryIn(held, Duration.ZERO)).isEqualTo(Outcomes.Result.LOST);
    assertThat(worker.giveBack(held.claim())).isEmpty();
    assertThat(worker.start(held.claim())).isEmpty();
    assertThat(find(id).state()).isEqualTo(JobState.READY);
    assertThat(find(id).failures()).hasSize(1);
  }

  @Test
  void aClaimedJobOfASilentNodeIsRecoveredAndARunningOneIsNot() {
    Worker worker = worker();
    enqueueAll(job(), job());
    List<ClaimedJob> held = worker.claim(1, 1, null);
    Holder silent = Holder.silent(worker.incarnation(), pulse(worker).orElseThrow().beat());

    assertThat(store.recovery().orphans(silent, Scope.ALL, PLENTY))
        .extracting(Orphan::claim)
        .containsExactly(held.get(1).claim());
    assertThat(
            store
                .recovery()
                .recover(
                    silent,
                    List.of(
                        new RecoveryAction.NotStarted(held.get(0).claim()),
                        new RecoveryAction.NotStarted(held.get(1).claim()))))
        .containsExactly(Result.NOT_HELD, Result.DONE);
    assertThat(worker.start(held.get(1).claim())).isEmpty();
    assertThat(worker.succeed(held.get(0))).isEqualTo(Outcomes.Result.WRITTEN);
  }

  @Test
  void aNodeThatHasSentAHeartbeatSinceIsNotSilent() {
    Worker worker = worker();
    enqueue(job());
    ClaimedJob held = worker.prefetchOne();
    Holder silent = Holder.silent(worker.incarnation(), pulse(worker).orElseThrow().beat());
    worker.beat();

    assertThat(store.recovery().orphans(silent, Scope.ALL, PLENTY)).isEmpty();
    assertThat(
            store.recovery().recover(silent, List.of(new RecoveryAction.NotStarted(held.claim()))))
        .containsExactly(Result.NOT_HELD);
    assertThat(worker.start(held.claim())).containsExactly(held.claim());
  }

  @Test
  void exactlyOneOfManySweepersRecoversEachJob() throws Exception {
    Worker worker = worker();
    for (int i = 0; i < 200; i++) {
      enqueue(job());
    }
    List<RecoveryAction> actions = new ArrayList<>();
    for (ClaimedJob held : worker.claim(200)) {
      actions.add(
          new RecoveryAction.AfterCrash(held.claim(), Duration.ZERO, Suspicion.NONE, crash(held)));
    }
    kill(worker);
    UUID dead = worker.incarnation();
    List<Result> results = new ArrayList<>();
    try (ExecutorService sweepers = Executors.newFixedThreadPool(4)) {
      Callable<List<Result>> sweep = () -> store.recovery().recover(Holder.dead(dead), actions);
      for (Future<List<Result>> one : sweepers.invokeAll(List.of(sweep, sweep, sweep, sweep))) {
        results.addAll(one.get());
      }
    }
    // Each sweeper skipped the rows that others had locked, so another sweep finds the remaining
    // jobs.
    results.addAll(store.recovery().recover(Holder.dead(dead), actions));

    assertThat(results).filteredOn(result -> result == Result.DONE).hasSize(200);
    assertThat(orphans(worker)).isEmpty();
  }

  @Test
  void aFencedNodeIsToldByItsNextHeartbeat() {
    Worker worker = worker();

    assertThat(worker.beat().fenceRequested()).isFalse();
    assertThat(store.nodes().requestFence(worker.incarnation())).isTrue();
    assertThat(worker.beat().fenceRequested()).isTrue();
    worker.leave();
    assertThat(store.nodes().requestFence(worker.incarnation())).isFalse();
  }

  @Test
  void jobsThatADeadNodeClaimedByAnyCallAreFoundAfterARoundOfUpkeep() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    worker.beat(100); // The node assumes that it holds no jobs of earlier calls.
    worker.leave();

    store.upkeep().tidy(new Retention(Duration.ofDays(1), Duration.ofDays(1)));

    assertThat(dead(worker)).isPresent();
    assertThat(orphans(worker)).extracting(Orphan::id).containsExactly(id);
    assertThat(recover(worker, new RecoveryAction.NotStarted(claimed.claim())))
        .containsExactly(Result.DONE);
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @Test
  void aNodeThatHoldsAJobOfAnyCallIsNeverForgotten() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    worker.beat(100);
    worker.leave();
    passTime(Duration.ofDays(3));

    Retention retention = new Retention(Duration.ofDays(1), Duration.ofDays(1));
    store.upkeep().tidy(retention);
    assertThat(orphans(worker)).extracting(Orphan::id).containsExactly(id);
    recover(worker, new RecoveryAction.NotStarted(claimed.claim()));
    store.upkeep().tidy(retention);

    assertThat(store.nodes().list())
        .as("it is forgotten once it holds nothing")
        .extracting(status -> status.registration().incarnation())
        .doesNotContain(worker.incarnation());
  }
}
