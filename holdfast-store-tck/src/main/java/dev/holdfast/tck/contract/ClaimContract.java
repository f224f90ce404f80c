package dev.holdfast.tck.contract;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claiming jobs: which jobs a node can claim. */
public abstract class ClaimContract extends Contract {

  @Test
  void aClaimReturnsEverythingThatItsHolderNeeds() {
    Worker worker = worker();
    JobId id = enqueue(job().priority(6).payload("hello").tags("a", "b").policy("{\"x\":1}"));

    ClaimedJob claimed = worker.claimOne();

    assertThat(claimed.id()).isEqualTo(id);
    assertThat(claimed.task()).isEqualTo(TASK);
    assertThat(claimed.queue()).isEqualTo(QUEUE);
    assertThat(claimed.started()).isTrue();
    assertThat(claimed.attempt()).isEqualTo(1);
    assertThat(claimed.priority()).isEqualTo(6);
    assertThat(claimed.payload()).isEqualTo("hello");
    assertThat(claimed.tags()).containsExactlyInAnyOrder("a", "b");
    assertThat(claimed.policy()).isEqualTo("{\"x\":1}");
    assertThat(claimed.createdAt()).isEqualTo(find(id).createdAt());
    assertThat(claimed.readyAt()).isEqualTo(find(id).runAt());
  }

  @Test
  void aClaimReturnsItsTime() {
    Worker worker = worker();
    enqueue(job());
    passTime(Duration.ofMinutes(3));

    ClaimedJob claimed = worker.claimOne();

    assertThat(Duration.between(claimed.readyAt(), claimed.claimedAt()))
        .isBetween(Duration.ofMinutes(3), Duration.ofMinutes(4));
  }

  @Test
  void fieldsThatAJobLacksAreAbsentFromItsClaim() {
    Worker worker = worker();
    enqueue(job().payload(null));

    ClaimedJob claimed = worker.claimOne();

    assertThat(claimed.payload()).isNull();
    assertThat(claimed.policy()).isNull();
    assertThat(claimed.tags()).isEmpty();
  }

  @Test
  void aClaimedJobShowsItsHolder() {
    JobId id = enqueue(job());
    ClaimedJob claimed = worker("node-7").prefetchOne();

    Job job = find(id);

    assertThat(job.state()).isEqualTo(JobState.CLAIMED);
    assertThat(job.node()).isEqualTo("node-7");
    assertThat(job.fencingToken()).isEqualTo(claimed.token());
    assertThat(job.attempt()).isZero();
    assertThat(job.startedAt()).isNull();
  }

  @Test
  void aJobStartedByItsClaimIsRunning() {
    JobId id = enqueue(job());
    ClaimedJob claimed = worker("node-7").claimOne();

    Job job = find(id);

    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    assertThat(job.node()).isEqualTo("node-7");
    assertThat(job.attempt()).isEqualTo(1);
    assertThat(job.startedAt()).isCloseTo(claimed.claimedAt(), within(1, SECONDS));
  }

  @Test
  void whatAnIncarnationHoldsIsReadAsItWasClaimed() {
    Worker worker = worker("node-1");
    enqueueAll(
        job().payload("one").tags("a").policy("{\"x\":1}"),
        job().payload("two"),
        job().payload("x"));
    ClaimedJob running = worker.claimOne();
    ClaimedJob waiting = worker.prefetchOne();
    ClaimedJob foreign = worker("node-2").claimOne();
    Set<JobId> all = Set.of(running.id(), waiting.id(), foreign.id(), freshId());

    List<ClaimedJob> held = store.claims().held(worker.incarnation(), all, true);

    assertThat(held)
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("claimedAt")
        .containsExactly(running, waiting);
    assertThat(store.claims().held(worker.incarnation(), Set.of(waiting.id()), false))
        .extracting(ClaimedJob::claim, ClaimedJob::payload, ClaimedJob::attempt)
        .containsExactly(tuple(waiting.claim(), null, 1));
    assertThat(store.claims().held(worker.incarnation(), Set.of(), true)).isEmpty();
    worker.giveBack(waiting.claim());
    assertThat(store.claims().held(worker.incarnation(), all, true))
        .extracting(ClaimedJob::id)
        .containsExactly(running.id());
  }

  @Test
  void theTokenGrowsWithEveryClaim() {
    Worker first = worker("node-1");
    Worker second = worker("node-2");
    enqueue(job());

    ClaimedJob once = first.claimOne();
    first.giveBack(once.claim());
    ClaimedJob twice = second.claimOne();

    assertThat(once.token()).isEqualTo(firstToken() + 1);
    assertThat(twice.token()).isEqualTo(firstToken() + 2);
  }

  @Test
  void aClaimedJobIsNotClaimedAgain() {
    Worker worker = worker();
    enqueueAll(job(), job());
    worker.claimOne();
    worker.prefetchOne();

    assertThat(worker.claim(5)).isEmpty();
    assertThat(worker("node-2").claim(5)).isEmpty();
  }

  @Test
  void aClaimOfZeroJobsReturnsNothing() {
    Worker worker = worker();
    enqueue(job());

    assertThat(worker.claim(0, 0, null)).isEmpty();
  }

  @Test
  void aClaimFromAnEmptyQueueReturnsNothing() {
    assertThat(worker().claim(5)).isEmpty();
  }

  @Test
  void onlyTheGivenTasksAreClaimed() {
    enqueueAll(job().task("other").priority(9), job().task("other").priority(9));
    JobId known = enqueue(job());

    assertThat(worker().claim(5)).extracting(ClaimedJob::id).containsExactly(known);
  }

  @Test
  void aNodeThatKnowsNoTaskClaimsNothing() {
    Worker worker = worker();
    enqueue(job());

    assertThat(
            store
                .claims()
                .claim(
                    new ClaimRequest(
                        worker.incarnation(),
                        1,
                        QUEUE,
                        List.of(),
                        5,
                        0,
                        null,
                        Suspects.NONE,
                        Set.of())))
        .isEmpty();
  }

  @Test
  void excludedJobsAreNotClaimedByAnyQueryPath() {
    Worker one = worker("one");
    Worker several = Worker.join(store, "several", QUEUE, TASK, "other");
    Worker stacks = serving("stacks", "blue");
    List<JobId> plain = enqueueAll(job(), job().task("other"), job());
    List<JobId> blue = enqueueAll(job().stack("blue"), job().stack("blue"));

    assertThat(one.claimWithout(Set.of(plain.get(0), plain.get(2)), 5)).isEmpty();
    assertThat(several.claimWithout(Set.of(plain.get(0)), 5))
        .extracting(ClaimedJob::id)
        .containsExactlyInAnyOrder(plain.get(1), plain.get(2));
    assertThat(stacks.claimWithout(Set.of(plain.get(0), blue.get(0)), 5))
        .extracting(ClaimedJob::id)
        .containsExactly(blue.get(1));
    assertThat(one.claimWithout(Set.of(blue.get(0)), 5))
        .extracting(ClaimedJob::id)
        .containsExactly(plain.get(0));
  }

  @Test
  void excludedCrashSuspectsAreNotClaimed() {
    Worker dead = worker("dead");
    List<JobId> ids = enqueueAll(job(), job());
    List<RecoveryAction> crashes =
        dead.claim(2).stream()
            .<RecoveryAction>map(held ->
                new RecoveryAction.AfterCrash(
                    held.claim(), Duration.ZERO, Suspicion.SLOW, dead.failure(held, "crash")))
            .toList();
    assertThat(store.nodes().markDead(dead.incarnation(), 0, Duration.ofMinutes(2))).isTrue();
    store.recovery().recover(Holder.dead(dead.incarnation()), crashes);

    assertThat(worker("alive").claimWithout(Set.of(ids.get(0)), 5))
        .extracting(ClaimedJob::id)
        .containsExactly(ids.get(1));
  }

  @Test
  void jobsAreClaimedFromTheGivenQueueOnly() {
    JobId here = enqueue(job());
    JobId there = enqueue(job().queue("bulk"));
    Worker worker = worker();

    assertThat(worker.claim(5)).extracting(ClaimedJob::id).containsExactly(here);
    assertThat(worker.claimFrom("bulk", 5, 0, null))
        .extracting(ClaimedJob::id)
        .containsExactly(there);
  }

  @Test
  void aJobNotYetDueIsNotClaimed() {
    enqueue(job().priority(9).dueIn(Duration.ofMinutes(1)));

    assertThat(worker().claim(5)).isEmpty();
  }

  @Test
  void aJobPastItsStartByTimeIsNotClaimed() {
    enqueue(job().priority(9).startWithin(Duration.ofMinutes(1)));
    JobId patient = enqueue(job().startWithin(Duration.ofHours(1)));
    passTime(Duration.ofMinutes(2));

    assertThat(worker().claim(5)).extracting(ClaimedJob::id).containsExactly(patient);
  }

  @Test
  void queuesWithReadyJobsAreFound() {
    enqueue(job().queue("ready"));
    enqueue(job().queue("other-task").task("other::task"));
    enqueue(job().queue("not-due").dueIn(Duration.ofHours(1)));
    enqueue(job().queue("not-asked-for"));
    enqueue(job());
    worker().claimOne();

    assertThat(
            store
                .claims()
                .queuesWithReadyJobs(
                    Set.of("ready", "other-task", "not-due", QUEUE, "empty"),
                    Set.of(TASK),
                    Set.of()))
        .containsExactlyInAnyOrder("ready", "other-task");
    assertThat(store.claims().queuesWithReadyJobs(Set.of(), Set.of(), Set.of())).isEmpty();
  }

  @Test
  void readyJobsOfAStackAreFoundByNodesThatServeIt() {
    enqueue(job().stack("blue"));

    Set<String> queues = Set.of(QUEUE);
    assertThat(store.claims().queuesWithReadyJobs(queues, Set.of(TASK), Set.of())).isEmpty();
    assertThat(store.claims().queuesWithReadyJobs(queues, Set.of(TASK), Set.of("green"))).isEmpty();
    assertThat(store.claims().queuesWithReadyJobs(queues, Set.of(TASK), Set.of("green", "blue")))
        .containsExactly(QUEUE);
  }

  @Test
  void aDeadIncarnationClaimsNothing() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.leave();

    assertThat(worker.claim(1)).isEmpty();
    assertThat(worker.prefetch(1)).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @Test
  void anUnknownIncarnationClaimsNothing() {
    enqueue(job());

    ClaimRequest request =
        new ClaimRequest(
            freshIncarnation(), 1, QUEUE, List.of(TASK), 1, 1, null, Suspects.NONE, Set.of());

    assertThat(store.claims().claim(request)).isEmpty();
  }

  @Test
  void nothingIsClaimedFromAPausedQueue() {
    Worker worker = worker();
    enqueue(job());
    store.queues().pause(QUEUE);

    assertThat(worker.claim(1)).isEmpty();
    assertThat(worker.prefetch(1)).isEmpty();
  }

  @Test
  void jobsAreClaimedFromAResumedQueue() {
    Worker worker = worker();
    JobId id = enqueue(job());
    store.queues().pause(QUEUE);
    store.queues().resume(QUEUE);

    assertThat(worker.claimOne().id()).isEqualTo(id);
  }

  @Test
  void pausingOneQueueDoesNotAffectOthers() {
    JobId id = enqueue(job());
    store.queues().pause("bulk");

    assertThat(worker().claimOne().id()).isEqualTo(id);
  }

  @Test
  void concurrentClaimersGetDisjointBatches() throws Exception {
    List<JobId> ids =
        enqueueAll(IntStream.range(0, 300).mapToObj(n -> job()).toArray(JobDraft[]::new));
    List<Worker> workers = IntStream.range(0, 6).mapToObj(n -> worker("node-" + n)).toList();

    List<JobId> claimed = new ArrayList<>();
    Together.run(6, n -> claimAll(workers.get(n))).forEach(claimed::addAll);
    // Claimers skip rows that others have locked, so a claimer may have stopped early. No job may
    // be lost.
    claimed.addAll(claimAll(workers.get(0)));

    assertThat(claimed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(ids);
  }

  private static List<JobId> claimAll(Worker worker) {
    List<JobId> claimed = new ArrayList<>();
    List<ClaimedJob> batch;
    do {
      batch = worker.claim(3, 4, null);
      batch.forEach(job -> claimed.add(job.id()));
    } while (!batch.isEmpty());
    return claimed;
  }
}
