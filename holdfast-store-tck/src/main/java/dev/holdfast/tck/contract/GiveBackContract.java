package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Handing jobs back without using an attempt, as if they had never been claimed. */
public abstract class GiveBackContract extends Contract {

  @Test
  void aClaimedJobGivenBackIsReadyAndUsesNoAttempt() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.prefetchOne();

    assertThat(worker.giveBack(claimed.claim())).containsExactly(claimed.claim());

    assertThat(stateOf(id)).isEqualTo(JobState.READY);
    assertThat(find(id).attempt()).isZero();
    assertThat(worker.claimOne().attempt()).isEqualTo(1);
  }

  @Test
  void aRunningJobGivenBackIsReadyAndUsesNoAttempt() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();

    assertThat(worker.giveBack(claimed.claim())).containsExactly(claimed.claim());

    assertThat(stateOf(id)).isEqualTo(JobState.READY);
    assertThat(find(id).attempt()).isZero();
    assertThat(find(id).failures()).isEmpty();
    assertThat(worker.claimOne().attempt()).isEqualTo(1);
  }

  @Test
  void attemptsUsedBeforeStillCount() {
    Worker worker = worker();
    enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ZERO);

    worker.giveBack(worker.claimOne().claim());
    worker.giveBack(worker.prefetchOne().claim());

    assertThat(worker.claimOne().attempt()).isEqualTo(2);
  }

  @Test
  void aJobGivenBackKeepsItsPlaceInTheQueue() {
    Worker worker = worker();
    JobId first = enqueue(job());
    JobId second = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    passTime(Duration.ofMinutes(20));
    JobId third = enqueue(job());
    worker.giveBack(claimed.claim());

    assertThat(worker.claim(3)).extracting(ClaimedJob::id).containsExactly(first, second, third);
  }

  @Test
  void jobsOfOneCallKeepTheirOrderWhenGivenBack() {
    Worker worker = worker();
    List<JobId> ids = enqueueAll(job(), job(), job(), job());
    List<ClaimedJob> claimed = worker.claim(2, 2, null);

    for (int index : new int[] {2, 0, 3, 1}) {
      worker.giveBack(claimed.get(index).claim());
    }

    assertThat(worker.claim(4)).extracting(ClaimedJob::id).containsExactlyElementsOf(ids);
  }

  @Test
  void theTokenKeepsGrowing() {
    Worker worker = worker();
    enqueue(job());
    worker.giveBack(worker.claimOne().claim());
    worker.giveBack(worker.prefetchOne().claim());

    assertThat(worker.claimOne().token()).isEqualTo(firstToken() + 3);
  }

  @Test
  void aJobGivenBackHasNoHolder() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.giveBack(worker.claimOne().claim());

    assertThat(store.nodes().holderOf(id)).isEmpty();
    assertThat(worker.beat().claims()).isEmpty();
  }

  @Test
  void givingBackUnderAStaleTokenChangesNothing() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId stale = worker.claimOne().claim();
    worker.giveBack(stale);
    worker.claimOne();
    Job before = find(id);

    assertThat(worker.giveBack(stale)).isEmpty();
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void givingBackByAnotherIncarnationChangesNothing() {
    JobId id = enqueue(job());
    ClaimId held = worker("node-1").claimOne().claim();
    Job before = find(id);

    assertThat(worker("node-2").giveBack(held)).isEmpty();
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void aJobThatEndedIsNotGivenBack() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    worker.succeed(claimed);

    assertThat(worker.giveBack(claimed.claim())).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aJobWaitingForItsRetryIsNotGivenBack() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    worker.retryIn(claimed, Duration.ofHours(1));

    assertThat(worker.giveBack(claimed.claim())).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.SCHEDULED);
  }

  @Test
  void aCancelRequestTurnsGivingBackIntoCancelled() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.claimOne().claim();
    store.control().cancel(id);

    worker.giveBack(held);

    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
    assertThat(worker.claim(1)).isEmpty();
  }

  @Test
  void aJobGivenBackCanStillExpire() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));
    worker.giveBack(worker.prefetchOne().claim());
    passTime(Duration.ofMinutes(2));
    stage();

    assertThat(stateOf(id)).isEqualTo(JobState.EXPIRED);
  }

  @Test
  void aJobThatStartedInTimeNeverExpires() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));
    ClaimedJob started = worker.claimOne();
    passTime(Duration.ofMinutes(2));
    worker.giveBack(started.claim());
    stage();

    assertThat(stateOf(id)).isEqualTo(JobState.READY);
    assertThat(worker.claimOne().id()).isEqualTo(id);
  }

  @Test
  void lostClaimsDoNotAffectTheRestOfABatch() {
    Worker worker = worker();
    enqueueAll(job(), job(), job());
    List<ClaimedJob> claimed = worker.claim(2, 1, null);
    worker.succeed(claimed.get(0));

    assertThat(
            worker.giveBack(
                claimed.get(0).claim(),
                claimed.get(1).claim(),
                new ClaimId(freshId(), 1),
                claimed.get(2).claim()))
        .containsExactlyInAnyOrder(claimed.get(1).claim(), claimed.get(2).claim());
  }

  @Test
  void aRunningJobWhoseHandlerNeverRanKeepsItsStartByTime() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));

    assertThat(worker.giveBackUnstarted(worker.claimOne().claim())).hasSize(1);
    passTime(Duration.ofMinutes(2));
    stage();

    assertThat(stateOf(id)).isEqualTo(JobState.EXPIRED);
    assertThat(find(id).attempt()).isZero();
  }

  @Test
  void eachJobOfABatchIsGivenBackByWhetherItsHandlerRan() {
    Worker worker = worker();
    Duration minute = Duration.ofMinutes(1);
    List<JobId> ids =
        enqueueAll(job().startWithin(minute), job().startWithin(minute), job().startWithin(minute));
    List<ClaimedJob> claimed = worker.claim(3);

    store
        .claims()
        .giveBack(
            worker.incarnation(),
            List.of(
                new ReleasedClaim(claimed.get(2).claim(), false),
                new ReleasedClaim(claimed.get(0).claim(), true),
                new ReleasedClaim(claimed.get(1).claim(), false)));
    passTime(Duration.ofMinutes(2));
    stage();

    assertThat(ids)
        .extracting(this::stateOf)
        .containsExactly(JobState.READY, JobState.EXPIRED, JobState.EXPIRED);
  }
}
