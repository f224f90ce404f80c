package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.TaskSnapshot;
import dev.holdfast.engine.store.TaskStore.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cluster-wide limit of a task. */
public abstract class TaskLimitContract extends Contract {
  private static final String OTHER = "other";
  private static final Rule THREE = new Rule(3, null);

  private Worker worker;
  private Worker other;

  @BeforeEach
  void aLimitedTaskWithManyJobs() {
    worker = Worker.join(store, "node-1", QUEUE, TASK, OTHER);
    other = Worker.join(store, "node-2", QUEUE, TASK, OTHER);
    enqueueAll(IntStream.range(0, 40).mapToObj(n -> job()).toArray(JobDraft[]::new));
    store.tasks().limit(TASK, 3);
  }

  private List<ClaimedJob> claim(Worker who, int start, int prefetch) {
    return who.claimAlone(TASK, start, prefetch, THREE);
  }

  @Test
  void oneClaimReturnsNoMoreJobsThanTheLimit() {
    assertThat(claim(worker, 10, 10)).hasSize(3);
  }

  @Test
  void theLimitAppliesAcrossNodesAndCountsPrefetchedJobs() {
    assertThat(claim(worker, 0, 2)).hasSize(2);
    assertThat(claim(other, 2, 0)).hasSize(1);
    assertThat(claim(worker, 2, 0)).isEmpty();
  }

  @Test
  void jobsClaimedBeforeTheLimitWasSetCountTowardsIt() {
    store.tasks().limit(TASK, null);
    assertThat(worker.claim(2)).hasSize(2);
    store.tasks().limit(TASK, 3);

    assertThat(claim(other, 5, 0)).hasSize(1);
  }

  @Test
  void nothingIsClaimedIfMoreJobsAreClaimedThanTheLimitAllows() {
    assertThat(claim(worker, 3, 0)).hasSize(3);
    store.tasks().limit(TASK, 1);

    assertThat(other.claimAlone(TASK, 1, 0, new Rule(1, null))).isEmpty();
  }

  @Test
  void everyEndingFreesALimitSlot() {
    List<ClaimedJob> held = claim(worker, 3, 0);
    worker.succeed(held.get(0));
    worker.failPermanently(held.get(1));
    worker.retryIn(held.get(2), Duration.ofHours(1));

    assertThat(claim(other, 10, 0)).hasSize(3);
  }

  @Test
  void aJobGivenBackOrCancelledFreesALimitSlot() {
    List<ClaimedJob> held = claim(worker, 0, 3);
    worker.giveBack(held.get(0).claim());
    store.control().cancel(held.get(1).id());

    assertThat(claim(other, 10, 0)).hasSize(2);
  }

  @Test
  void aRecoveredJobFreesALimitSlotAndCountsAgainWhenItIsClaimed() {
    List<ClaimedJob> held = claim(worker, 0, 3);
    worker.leave();
    Recovery.Holder holder = Recovery.Holder.dead(worker.incarnation());
    store
        .recovery()
        .recover(
            holder,
            held.stream().map(job -> new Recovery.RecoveryAction.NotStarted(job.claim())).toList());

    assertThat(claim(other, 10, 10)).hasSize(3);
    assertThat(claim(other, 10, 10)).isEmpty();
  }

  @Test
  void aNodeThatDoesNotKnowTheLimitClaimsOtherTasksOnly() {
    enqueueAll(job().task(OTHER), job().task(OTHER));

    assertThat(worker.claim(10))
        .hasSize(2)
        .allSatisfy(job -> assertThat(job.task()).isEqualTo(OTHER));
  }

  @Test
  void aNodeThatAssumesAnotherLimitClaimsNothing() {
    assertThat(worker.claimAlone(TASK, 1, 0, new Rule(2, null))).isEmpty();
    assertThat(worker.claimAlone(TASK, 1, 0, new Rule(4, null))).isEmpty();
    assertThat(worker.claimAlone(TASK, 1, 0, Rule.NONE)).isEmpty();
  }

  @Test
  void aNodeThatAssumesARemovedLimitClaimsNothing() {
    store.tasks().limit(TASK, null);

    assertThat(claim(worker, 1, 0)).isEmpty();
    assertThat(worker.claim(5)).hasSize(5);
  }

  @Test
  void theLimitsOfQueueAndTaskBothApply() {
    store.queues().limit(QUEUE, 2);

    assertThat(worker.claimAlone(TASK, 5, 0, 2, THREE)).hasSize(2);
    assertThat(worker.claimAlone(TASK, 5, 0, 2, THREE)).isEmpty();
    store.queues().limit(QUEUE, 10);
    assertThat(worker.claimAlone(TASK, 5, 0, 10, THREE)).hasSize(1);
  }

  @Test
  void theLimitAppliesAcrossConcurrentClaimers() throws Exception {
    List<Worker> workers =
        IntStream.range(0, 8).mapToObj(n -> Worker.join(store, "many-" + n, QUEUE, TASK)).toList();

    int claimedAtOnce =
        Together.run(8, n -> claim(workers.get(n), 1, 1).size()).stream()
            .mapToInt(Integer::intValue)
            .sum();

    assertThat(claimedAtOnce + claim(worker, 10, 0).size()).isEqualTo(3);
  }

  @Test
  void theLimitAppliesWhileJobsAreAddedAndFinished() throws Exception {
    List<Worker> workers =
        IntStream.range(0, 4).mapToObj(n -> Worker.join(store, "busy-" + n, QUEUE, TASK)).toList();

    assertThat(Together.run(4, n -> runSome(workers.get(n)))).containsOnly(true);
  }

  private boolean runSome(Worker busy) {
    for (int round = 0; round < 10; round++) {
      List<ClaimedJob> held = claim(busy, 1, 1);
      if (status().held() > 3) {
        return false;
      }
      held.forEach(job -> busy.giveBack(job.claim()));
    }
    return true;
  }

  @Test
  void aHeartbeatReturnsTheRulesOfTasks() {
    assertThat(worker.beat().tasks()).isEqualTo(Map.of(TASK, THREE));
    assertThat(store.tasks().rules()).isEqualTo(Map.of(TASK, THREE));
    store.tasks().limit(TASK, null);
    assertThat(worker.beat().tasks()).isEmpty();
  }

  @Test
  void aJobWaitsBecauseTheLimitOfItsTaskIsReached() {
    JobId last = enqueue(job());
    assertThat(store.queries().whyWaiting(last)).containsInstanceOf(WaitReason.Queued.class);
    claim(worker, 3, 0);

    assertThat(store.queries().whyWaiting(last)).contains(new WaitReason.TaskFull(TASK, 3));
  }

  @Test
  void anOperatorSeesTheLimitAndTheNumberOfClaimedJobs() {
    claim(worker, 1, 1);

    assertThat(status()).isEqualTo(new TaskSnapshot(TASK, 3, 38, 2, BreakerState.CLOSED, null));
  }

  private TaskStatus status() {
    List<TaskStatus> all = store.tasks().list();
    assertThat(all).hasSize(1);
    return all.get(0);
  }
}
