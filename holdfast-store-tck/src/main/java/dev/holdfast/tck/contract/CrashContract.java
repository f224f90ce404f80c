package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish.Failure;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import dev.holdfast.engine.store.Recovery.Scope;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.store.TaskStore.Rule;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Claims of jobs that were recovered from dead or fenced nodes. */
public abstract class CrashContract extends Contract {
  private static final Suspects ONE = new Suspects(1, false);
  private static final Suspects THREE = new Suspects(3, false);
  private static final Retention FOREVER =
      new Retention(Duration.ofDays(1000), Duration.ofDays(1000));
  private static final Suspects LONE = new Suspects(3, true);

  private static Failure crash(ClaimedJob job) {
    return new Failure(
        job.attempt(), FailureCode.WORKER_CRASHED, null, "Its node died.", null, "node-1");
  }

  /**
   * Claims a job with a node that dies, and recovers the job. All other jobs must be crash
   * suspects.
   */
  private JobId crash(JobDraft draft, Suspicion suspicion) {
    JobId id = enqueue(draft);
    Worker dying = serving("dying", "blue");
    ClaimedJob held = dying.claim(1, Suspects.NONE).getFirst();
    assertThat(held.id()).isEqualTo(id);
    recoverFrom(dying, held, suspicion);
    return id;
  }

  private void recoverFrom(Worker dead, ClaimedJob held, Suspicion suspicion) {
    store.nodes().markDead(dead.incarnation(), 0, Duration.ofMinutes(2));
    assertThat(
            store
                .recovery()
                .recover(
                    Holder.dead(dead.incarnation()),
                    List.of(
                        new RecoveryAction.AfterCrash(
                            held.claim(), Duration.ZERO, suspicion, crash(held)))))
        .containsExactly(Result.DONE);
  }

  private static List<JobId> ids(List<ClaimedJob> jobs) {
    return jobs.stream().map(ClaimedJob::id).toList();
  }

  @Test
  void aJobThatIsNoCrashSuspectIsClaimedNormally() {
    JobId crashed = crash(job(), Suspicion.NONE);
    JobId plain = enqueue(job());

    List<ClaimedJob> claimed = worker().claim(2, Suspects.NONE);

    assertThat(ids(claimed)).containsExactly(crashed, plain);
    assertThat(claimed).extracting(ClaimedJob::crashes).containsExactly(1, 0);
    assertThat(claimed).extracting(ClaimedJob::suspicion).containsOnly(Suspicion.NONE);
  }

  @Test
  void aJobOfAStackThatIsNoCrashSuspectIsClaimedNormally() {
    JobId crashed = crash(job().stack("blue"), Suspicion.NONE);

    assertThat(ids(serving("node-1", "blue").claim(2, Suspects.NONE))).containsExactly(crashed);
  }

  @Test
  void noMoreCrashSuspectsAreClaimedThanRequested() {
    for (int i = 0; i < 4; i++) {
      crash(job(), Suspicion.SLOW);
    }
    Worker worker = worker();

    assertThat(worker.claim(9, Suspects.NONE)).isEmpty();
    assertThat(worker.claim(9, ONE)).hasSize(1);
    assertThat(worker.claim(9, THREE))
        .hasSize(3)
        .extracting(ClaimedJob::suspicion)
        .containsOnly(Suspicion.SLOW);
  }

  @Test
  void aHeartbeatTellsWhichClaimsAreCrashSuspects() {
    JobId suspect = crash(job(), Suspicion.SLOW);
    JobId plain = enqueue(job());
    Worker worker = worker();
    // A store may return crash suspects and other jobs in separate calls.
    List<JobId> claimed = new ArrayList<>(ids(worker.claim(1, ONE)));
    claimed.addAll(ids(worker.claim(1, ONE)));
    assertThat(claimed).containsExactlyInAnyOrder(suspect, plain);

    assertThat(worker.beat().claims())
        .extracting(row -> row.claim().id(), ClaimRow::suspect)
        .containsExactlyInAnyOrder(tuple(suspect, true), tuple(plain, false));
    assertThat(store.nodes().claims(worker.incarnation()))
        .extracting(row -> row.claim().id(), ClaimRow::suspect)
        .containsExactlyInAnyOrder(tuple(suspect, true), tuple(plain, false));
  }

  @Test
  void aCrashSuspectWithOneCrashLeftIsClaimedAlone() {
    JobId last = crash(job(), Suspicion.ALONE);
    JobId other = crash(job(), Suspicion.SLOW);
    Worker worker = worker();

    assertThat(ids(worker.claim(9, THREE))).containsExactly(other);
    List<ClaimedJob> lone = worker.claim(9, LONE);
    assertThat(ids(lone)).containsExactly(last);
    assertThat(lone).extracting(ClaimedJob::suspicion).containsExactly(Suspicion.ALONE);
  }

  @Test
  void aCrashSuspectWithOneCrashLeftIsClaimedBeforeOthersAndWithoutThem() {
    crash(job(), Suspicion.SLOW);
    JobId last = crash(job(), Suspicion.ALONE);
    crash(job(), Suspicion.ALONE);

    assertThat(ids(worker().claim(9, LONE))).containsExactly(last);
  }

  @Test
  void ifNoCrashSuspectMustRunAloneOthersAreClaimed() {
    crash(job(), Suspicion.SLOW);
    crash(job(), Suspicion.SLOW);

    assertThat(worker().claim(9, LONE)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void aCrashSuspectIsNotClaimedByADeadIncarnation(Suspicion suspicion) {
    JobId suspect = crash(job(), suspicion);
    Worker dead = worker();
    dead.leave();

    assertThat(dead.claim(1, LONE)).isEmpty();
    assertThat(stateOf(suspect)).isEqualTo(JobState.READY);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void aCrashSuspectIsNotClaimedFromAPausedQueue(Suspicion suspicion) {
    crash(job(), suspicion);
    Worker worker = worker();
    store.queues().pause(QUEUE);

    assertThat(worker.claim(1, LONE)).isEmpty();
    store.queues().resume(QUEUE);
    assertThat(worker.claim(1, LONE)).hasSize(1);
  }

  @Test
  void crashSuspectsAreClaimedWithinTheLimitOfTheirQueue() {
    crash(job(), Suspicion.SLOW);
    crash(job(), Suspicion.SLOW);
    Worker worker = worker();
    store.queues().limit(QUEUE, 1);

    assertThat(worker.claim(2, THREE)).as("without knowing of the limit").isEmpty();
    assertThat(worker.claim(2, 0, 1)).hasSize(1);
    assertThat(worker("node-2").claim(2, 0, 1)).isEmpty();
  }

  @Test
  void crashSuspectsAreClaimedWithinTheLimitOfTheirTask() {
    crash(job(), Suspicion.SLOW);
    crash(job(), Suspicion.SLOW);
    Worker worker = worker();
    store.tasks().limit(TASK, 1);

    assertThat(worker.claim(2, THREE)).as("without knowing of the limit").isEmpty();
    assertThat(worker.claimAlone(TASK, 2, 0, new Rule(1, null))).hasSize(1);
    assertThat(worker("node-2").claimAlone(TASK, 2, 0, new Rule(1, null))).isEmpty();
  }

  @Test
  void aJobOfAStackIsNotClaimedByADeadIncarnation() {
    JobId id = enqueue(job().stack("blue"));
    Worker dead = serving("node-1", "blue");
    dead.leave();

    assertThat(dead.claim(1)).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @Test
  void aJobOfAStackIsNotClaimedFromAPausedQueue() {
    enqueue(job().stack("blue"));
    Worker blue = serving("node-1", "blue");
    store.queues().pause(QUEUE);

    assertThat(blue.claim(1)).isEmpty();
    store.queues().resume(QUEUE);
    assertThat(blue.claim(1)).hasSize(1);
  }

  @Test
  void jobsOfAStackAreClaimedWithinTheLimitOfTheirQueue() {
    enqueueAll(job().stack("blue"), job().stack("blue"), job());
    Worker blue = serving("node-1", "blue");
    store.queues().limit(QUEUE, 2);

    assertThat(blue.claim(3)).as("without knowing of the limit").isEmpty();
    assertThat(blue.claim(3, 0, 2)).hasSize(2);
    assertThat(serving("node-2", "blue").claim(3, 0, 2)).isEmpty();
  }

  @Test
  void jobsOfAStackAreClaimedWithinTheLimitOfTheirTask() {
    enqueueAll(job().stack("blue"), job().stack("blue"));
    Worker blue = serving("node-1", "blue");
    store.tasks().limit(TASK, 1);

    assertThat(blue.claim(2)).as("without knowing of the limit").isEmpty();
    assertThat(blue.claimAlone(TASK, 2, 0, new Rule(1, null))).hasSize(1);
    assertThat(serving("node-2", "blue").claimAlone(TASK, 2, 0, new Rule(1, null))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aJobRecoveredFromACrashFreesALimitSlotOfItsQueue(Suspicion suspicion) {
    Worker worker = worker();
    JobId id = enqueue(job());
    store.queues().limit(QUEUE, 1);
    ClaimedJob held = worker.claim(1, 0, 1).getFirst();
    recoverFrom(worker, held, suspicion);

    Worker next = worker("node-2");
    assertThat(store.queries().whyWaiting(id))
        .hasValueSatisfying(why -> assertThat(why).isNotInstanceOf(WaitReason.QueueFull.class));
    List<ClaimedJob> again =
        suspicion == Suspicion.ALONE ? next.claimAloneSuspect(1) : next.claim(1, 0, 1);
    assertThat(ids(again)).containsExactly(id);
  }

  @Test
  void anyOtherRecoveredJobFreesALimitSlotOfItsQueue() {
    Worker worker = worker();
    enqueueAll(job(), job(), job());
    store.queues().limit(QUEUE, 3);
    List<ClaimedJob> held = worker.claim(2, 1, 3);
    worker.leave();
    store
        .recovery()
        .recover(
            Holder.dead(worker.incarnation()),
            List.of(
                new RecoveryAction.AfterFencing(held.get(0).claim()),
                new RecoveryAction.DeadLetter(held.get(1).claim(), crash(held.get(1))),
                new RecoveryAction.NotStarted(held.get(2).claim())));
    enqueue(job());

    assertThat(worker("node-2").claim(3, 0, 3)).hasSize(3);
  }

  @Test
  void aJobRecoveredFromACrashFreesALimitSlotOfItsTask() {
    Worker worker = worker();
    JobId id = enqueue(job());
    store.tasks().limit(TASK, 1);
    ClaimedJob held = worker.claimAlone(TASK, 1, 0, new Rule(1, null)).getFirst();
    recoverFrom(worker, held, Suspicion.NONE);

    assertThat(ids(worker("node-2").claimAlone(TASK, 1, 0, new Rule(1, null)))).containsExactly(id);
  }

  @Test
  void crashSuspectsCountAsReadyJobs() {
    crash(job(), Suspicion.SLOW);
    crash(job(), Suspicion.ALONE);
    crash(job(), Suspicion.NONE);

    assertThat(count(JobFilter.all(), JobState.READY)).isEqualTo(3);
  }

  @Test
  void aFencingIsCountedAndUsesNoAttempt() {
    JobId id = enqueue(job());
    for (int fencings = 1; fencings <= 2; fencings++) {
      Worker worker = worker("node-" + fencings);
      ClaimedJob held = worker.claimOne();
      worker.leave();
      Holder dead = Holder.dead(worker.incarnation());
      assertThat(store.recovery().orphans(dead, Scope.ALL, PLENTY))
          .extracting(Orphan::fencings)
          .containsExactly(fencings - 1);
      assertThat(
              store
                  .recovery()
                  .recover(dead, List.of(new RecoveryAction.AfterFencing(held.claim()))))
          .containsExactly(Result.DONE);
      assertThat(find(id).state()).isEqualTo(JobState.READY);
      assertThat(find(id).attempt()).isZero();
      assertThat(find(id).failures()).isEmpty();
    }
  }

  @Test
  void aFencedJobWithACancelRequestIsNotRunAgain() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    store.control().cancel(id);
    worker.leave();

    assertThat(
            store
                .recovery()
                .recover(
                    Holder.dead(worker.incarnation()),
                    List.of(new RecoveryAction.AfterFencing(held.claim()))))
        .containsExactly(Result.CANCELLED_INSTEAD);
    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aRetriedDeadLetteredJobIsNoLongerACrashSuspect() {
    JobId id = crash(job(), Suspicion.ALONE);
    Worker worker = worker();
    ClaimedJob held = worker.claimAloneSuspect().getFirst();
    worker.leave();
    store
        .recovery()
        .recover(
            Holder.dead(worker.incarnation()),
            List.of(new RecoveryAction.AfterFencing(held.claim())));
    Worker next = worker("node-2");
    next.failPermanently(next.claimAloneSuspect().getFirst());
    assertThat(store.control().retry(id)).isEqualTo(RetryResult.READY);

    ClaimedJob again = worker("node-3").claim(1, Suspects.NONE).getFirst();
    assertThat(again.id()).isEqualTo(id);
    assertThat(again.crashes()).isZero();
    assertThat(again.suspicion()).isEqualTo(Suspicion.NONE);
  }

  @Test
  void aLongDeadNodeThatStillHoldsAJobIsNotForgotten() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.claimOne();
    store.nodes().markDead(worker.incarnation(), 0, Duration.ofMinutes(2));
    for (int days = 0; days < 3; days++) {
      passTime(Duration.ofDays(1).plusHours(1));
      store.upkeep().tidy(FOREVER);
      store.upkeep().tidy(FOREVER);
    }

    assertThat(store.nodes().look(freshIncarnation(), PLENTY, true).dead())
        .singleElement()
        .satisfies(dead -> assertThat(dead.incarnation()).isEqualTo(worker.incarnation()));
    assertThat(
            store
                .recovery()
                .recover(
                    Holder.dead(worker.incarnation()),
                    List.of(new RecoveryAction.NotStarted(held.claim()))))
        .containsExactly(Result.DONE);
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }
}
