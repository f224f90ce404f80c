package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.Outcomes.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The documented guarantees that a store implements, with one test for each. */
public abstract class GuaranteeContract extends Contract {
  private static final List<Ending> ENDINGS = List.of(Ending.values());

  private JobDraft[] drafts(int count) {
    return IntStream.range(0, count).mapToObj(n -> job()).toArray(JobDraft[]::new);
  }

  /** Every job stays in the store, regardless of what nodes and operators do with it. */
  @Test
  void noJobIsLost() {
    List<JobId> ids = enqueueAll(drafts(40));
    List<Worker> workers = List.of(worker("node-1"), worker("node-2"), worker("node-3"));
    Random dice = new Random(20_260_101);

    for (int step = 0; step < 120; step++) {
      Worker worker = workers.get(dice.nextInt(workers.size()));
      for (ClaimedJob claimed : worker.claim(dice.nextInt(3), dice.nextInt(2), null)) {
        endInSomeWay(claimed, worker, dice);
      }
      JobId any = ids.get(dice.nextInt(ids.size()));
      if (dice.nextInt(10) == 0) {
        store.control().cancel(any);
      }
      store.control().retry(any);
      passTime(Duration.ofSeconds(30));
      stage();

      assertThat(store.queries().find(ids)).hasSize(ids.size());
    }
    assertThat(countAll(JobFilter.all())).isEqualTo(ids.size());
    assertThat(store.queries().list(JobFilter.all(), null, PLENTY))
        .extracting(Job::id)
        .containsExactlyElementsOf(ids.reversed());
  }

  private static void endInSomeWay(ClaimedJob claimed, Worker worker, Random dice) {
    switch (dice.nextInt(4)) {
      case 0 -> worker.giveBack(claimed.claim());
      case 1 -> {} // The holder forgets the job: it stays claimed and can be found.
      default -> {
        worker.start(claimed.claim());
        Ending ending = ENDINGS.get(dice.nextInt(ENDINGS.size()));
        worker.finish(ending.of(claimed.claim()));
      }
    }
  }

  /** Concurrent claimers of a few jobs never hold the same job. */
  @Test
  void twoIncarnationsNeverHoldTheSameJob() throws Exception {
    enqueueAll(drafts(5));
    List<Worker> workers = IntStream.range(0, 6).mapToObj(n -> worker("node-" + n)).toList();
    Map<JobId, UUID> holders = new ConcurrentHashMap<>();
    Map<ClaimId, UUID> tokens = new ConcurrentHashMap<>();

    List<List<String>> clashes =
        Together.run(6, n -> claimAndGiveBack(workers.get(n), holders, tokens));

    assertThat(clashes).allSatisfy(seen -> assertThat(seen).isEmpty());
  }

  private static List<String> claimAndGiveBack(
      Worker worker, Map<JobId, UUID> holders, Map<ClaimId, UUID> tokens) {
    List<String> clashes = new ArrayList<>();
    for (int round = 0; round < 40; round++) {
      List<ClaimedJob> claimed = worker.claim(1, 1, null);
      for (ClaimedJob job : claimed) {
        if (holders.putIfAbsent(job.id(), worker.incarnation()) != null) {
          clashes.add("two holders of " + job.id());
        }
        if (tokens.putIfAbsent(job.claim(), worker.incarnation()) != null) {
          clashes.add("a token was granted twice: " + job.claim());
        }
      }
      for (ClaimedJob job : claimed) {
        holders.remove(job.id(), worker.incarnation());
        worker.giveBack(job.claim());
      }
    }
    return clashes;
  }

  /** A holder whose job another node runs by now cannot change the job. */
  @ParameterizedTest
  @EnumSource
  void aStaleHolderChangesNothing(Ending ending) {
    Worker stale = worker("stale");
    Worker current = worker("current");
    JobId id = enqueue(job());
    ClaimId lost = stale.claimOne().claim();
    stale.giveBack(lost);
    ClaimedJob held = current.claimOne();
    Job before = find(id);

    assertThat(stale.start(lost)).isEmpty();
    assertThat(stale.giveBack(lost)).isEmpty();
    assertThat(stale.finish(ending.of(lost))).isEqualTo(Result.LOST);
    assertThat(stale.finish(ending.of(held.claim()))).isEqualTo(Result.LOST);

    assertThat(find(id)).isEqualTo(before);
    assertThat(current.succeed(held)).isEqualTo(Result.WRITTEN);
  }

  /** A job that is claimed and handed back repeatedly without being started is unchanged. */
  @Test
  void aJobKnownNotToHaveStartedUsesNoAttempt() {
    Worker worker = worker();
    JobId id = enqueue(job());
    enqueue(job());
    for (int round = 0; round < 5; round++) {
      ClaimedJob claimed = worker.prefetchOne();
      assertThat(claimed.id()).isEqualTo(id);
      assertThat(claimed.attempt()).isEqualTo(1);
      worker.giveBack(claimed.claim());
    }

    Job job = find(id);
    assertThat(job.attempt()).isZero();
    assertThat(job.failures()).isEmpty();
    assertThat(job.startedAt()).isNull();
  }

  /**
   * Several nodes fire the same due time. Its unique key permits one job, even after that job has
   * ended.
   */
  @Test
  void oneJobPerTriggerFiring() throws Exception {
    UniqueKey firing = UniqueKey.within("schedule:nightly:2026-01-01T02:00Z", Duration.ofDays(1));

    List<Admission> admissions = Together.run(6, n -> admit(job().unique(firing)));
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    Admission late = admit(job().unique(firing));

    assertThat(admissions)
        .extracting(Admission::outcome)
        .containsOnlyOnce(Enqueued.Outcome.CREATED);
    assertThat(late.outcome()).isEqualTo(Enqueued.Outcome.EXISTING);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void aLostReplyToAnEnqueueChangesNothing() {
    List<NewJob> jobs = List.of(job().build(), job().dueIn(Duration.ofHours(1)).build());
    store.intake().enqueue(jobs);
    List<Job> before = store.queries().list(JobFilter.all(), null, PLENTY);

    store.intake().enqueue(jobs.stream().map(NewJob::repeated).toList());

    assertThat(store.queries().list(JobFilter.all(), null, PLENTY)).isEqualTo(before);
  }

  /**
   * Jobs of a claim whose reply was lost are found by the number of the call, and are handed back
   * without using an attempt.
   */
  @Test
  void aLostReplyToAClaimChangesNothing() {
    Worker worker = worker();
    enqueueAll(drafts(4));
    List<ClaimedJob> known = worker.claim(1, 1, null);
    worker.claim(1, 1, null);
    long lostCall = worker.lastClaimNo();

    ClaimId[] unknown =
        worker.beat().claims().stream()
            .filter(claim -> claim.claimNo() == lostCall)
            .map(ClaimRow::claim)
            .toArray(ClaimId[]::new);
    assertThat(worker.giveBack(unknown)).hasSize(2);

    assertThat(worker.beat().claims())
        .extracting(ClaimRow::claim)
        .containsExactlyInAnyOrderElementsOf(known.stream().map(ClaimedJob::claim).toList());
    assertThat(worker.claim(5)).hasSize(2).extracting(ClaimedJob::attempt).containsOnly(1);
  }

  @Test
  void aLostReplyToAStartChangesNothing() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.prefetchOne().claim();
    worker.start(held);
    Job before = find(id);

    assertThat(worker.start(held)).containsExactly(held);
    assertThat(find(id)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void aLostReplyToAFinishChangesNothing(Ending ending) {
    Worker worker = worker();
    JobId id = enqueue(job());
    Finish finish = ending.of(worker.claimOne().claim());
    worker.finish(finish);
    Job before = find(id);

    assertThat(worker.finish(finish)).isEqualTo(Result.WRITTEN);
    assertThat(find(id)).isEqualTo(before);
    assertThat(stateOf(id)).isNotEqualTo(JobState.RUNNING);
  }
}
