package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Starting prefetched jobs. */
public abstract class StartContract extends Contract {

  @Test
  void aStartedJobIsRunning() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.prefetchOne();

    assertThat(worker.start(claimed.claim())).containsExactly(claimed.claim());

    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    assertThat(job.attempt()).isEqualTo(claimed.attempt()).isEqualTo(1);
    assertThat(job.fencingToken()).isEqualTo(claimed.token());
    assertThat(job.startedAt()).isNotNull();
  }

  @Test
  void aStartReturnsItsTime() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.prefetchOne();
    passTime(Duration.ofMinutes(5));
    worker.start(claimed.claim());

    Job job = find(id);
    assertThat(Duration.between(job.runAt(), job.startedAt()))
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
  }

  @Test
  void aRepeatedStartIsCountedOnce() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.prefetchOne().claim();
    worker.start(held);
    Job before = find(id);

    assertThat(worker.start(held)).containsExactly(held);
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void aJobStartedByItsClaimCountsAsStarted() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.claimOne().claim();
    Job before = find(id);

    assertThat(worker.start(held)).containsExactly(held);
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void aStartUnderAStaleTokenChangesNothing() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId stale = worker.prefetchOne().claim();
    worker.giveBack(stale);
    worker.prefetchOne();
    Job before = find(id);

    assertThat(worker.start(stale)).isEmpty();
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void aStartByAnotherIncarnationChangesNothing() {
    JobId id = enqueue(job());
    ClaimId held = worker("node-1").prefetchOne().claim();
    Job before = find(id);

    assertThat(worker("node-2").start(held)).isEmpty();
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void aJobThatWasGivenBackIsNotStarted() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.prefetchOne().claim();
    worker.giveBack(held);

    assertThat(worker.start(held)).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @Test
  void aJobThatEndedIsNotStarted() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    worker.succeed(claimed);

    assertThat(worker.start(claimed.claim())).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aJobPastItsStartByTimeExpiresInsteadOfStarting() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));
    ClaimId held = worker.prefetchOne().claim();
    passTime(Duration.ofMinutes(2));

    assertThat(worker.start(held)).isEmpty();

    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.EXPIRED);
    assertThat(job.endedAt()).isNotNull();
    assertThat(job.attempt()).isZero();
  }

  @Test
  void aJobThatStartedInTimeDoesNotExpireAtARepeatedStart() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));
    ClaimId held = worker.prefetchOne().claim();
    worker.start(held);
    passTime(Duration.ofMinutes(2));

    assertThat(worker.start(held)).containsExactly(held);
    assertThat(stateOf(id)).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aJobCancelledWhileClaimedIsNotStarted() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.prefetchOne().claim();
    store.control().cancel(id);

    assertThat(worker.start(held)).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aRepeatedStartOfAJobWithACancelRequestCancelsIt() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.prefetchOne().claim();
    worker.start(held);
    store.control().cancel(id);

    assertThat(worker.start(held)).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void lostClaimsDoNotAffectTheRestOfABatch() {
    Worker worker = worker();
    List<JobId> ids =
        enqueueAll(job(), job().startWithin(Duration.ofMinutes(1)), job(), job(), job());
    List<ClaimId> held = worker.prefetch(5).stream().map(ClaimedJob::claim).toList();
    worker.giveBack(held.get(2));
    store.control().cancel(ids.get(3));
    passTime(Duration.ofMinutes(2));

    assertThat(worker.start(held.toArray(ClaimId[]::new)))
        .containsExactlyInAnyOrder(held.get(0), held.get(4));
    assertThat(ids)
        .extracting(this::stateOf)
        .containsExactly(
            JobState.RUNNING,
            JobState.EXPIRED,
            JobState.READY,
            JobState.CANCELLED,
            JobState.RUNNING);
  }

  @Test
  void startingNoJobOrAnUnknownJobStartsNothing() {
    Worker worker = worker();

    assertThat(worker.start()).isEmpty();
    assertThat(worker.start(new ClaimId(freshId(), 1))).isEmpty();
  }

  @Test
  void aDeadIncarnationStartsNothing() {
    Worker worker = worker();
    List<JobId> ids = enqueueAll(job(), job().startWithin(Duration.ofMinutes(1)));
    ClaimId[] held = worker.prefetch(2).stream().map(ClaimedJob::claim).toArray(ClaimId[]::new);
    worker.leave();

    assertThat(worker.start(held)).isEmpty();
    passTime(Duration.ofMinutes(2));
    assertThat(worker.start(held)).isEmpty();

    assertThat(ids)
        .as("a recovered job that never started uses no attempt and counts no crash")
        .extracting(this::stateOf)
        .containsOnly(JobState.CLAIMED);
    assertThat(find(ids.get(0)).attempt()).isZero();
    assertThat(find(ids.get(0)).startedAt()).isNull();
  }

  @Test
  void aRepeatedStartOfADeadIncarnationStartsNothing() {
    Worker worker = worker();
    enqueue(job());
    ClaimId held = worker.prefetchOne().claim();
    worker.start(held);
    worker.leave();

    assertThat(worker.start(held)).isEmpty();
  }
}
