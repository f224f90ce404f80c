package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requeuing jobs in any state. */
public abstract class RequeueContract extends Contract {

  private RequeueResult requeue(JobId id) {
    return store.control().requeue(id);
  }

  @Test
  void aRequeuedScheduledJobIsReadyAtOnce() {
    JobId id = bringTo(job(), JobState.SCHEDULED);

    assertThat(requeue(id)).isEqualTo(RequeueResult.READY);

    assertThat(worker().claimOne().id()).isEqualTo(id);
  }

  @Test
  void aRequeuedReadyJobKeepsItsPlace() {
    JobId first = enqueue(job());
    JobId second = enqueue(job());

    assertThat(requeue(first)).isEqualTo(RequeueResult.ALREADY_READY);

    assertThat(worker().claim(2)).extracting(ClaimedJob::id).containsExactly(first, second);
  }

  @Test
  void theHolderOfAClaimedJobIsToldThatItWasRequeued() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob held = worker.prefetchOne();

    assertThat(requeue(id)).isEqualTo(RequeueResult.REQUESTED);

    assertThat(stateOf(id)).isEqualTo(JobState.CLAIMED);
    assertThat(worker.beat().claims())
        .singleElement()
        .returns(held.claim(), ClaimRow::claim)
        .returns(true, ClaimRow::releaseRequested);
    assertThat(worker.giveBack(held.claim())).containsExactly(held.claim());
    assertThat(find(id).attempt()).isZero();
    worker.prefetchOne();
    assertThat(worker.beat().claims())
        .as("the request is fulfilled")
        .noneMatch(ClaimRow::releaseRequested);
  }

  @Test
  void theHolderOfARunningJobIsToldThatItWasRequeued() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.claimOne();

    assertThat(requeue(id)).isEqualTo(RequeueResult.REQUESTED);

    assertThat(stateOf(id)).isEqualTo(JobState.RUNNING);
    assertThat(worker.beat().claims()).singleElement().matches(ClaimRow::releaseRequested);
  }

  @Test
  void aRequeuedDeadLetteredJobIsReadyWithAllItsAttemptsAndALargerToken() {
    JobId id = bringTo(job(), JobState.FAILED);

    assertThat(requeue(id)).isEqualTo(RequeueResult.READY);

    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.attempt()).isZero();
    assertThat(worker().claimOne().token()).isEqualTo(firstToken() + 2);
  }

  @Test
  void aDeadLetteredJobIsNotRequeuedWhileAnotherJobHasItsKey() {
    UniqueKey key = UniqueKey.whileActive("order 17");
    JobId old = bringTo(job().unique(key), JobState.FAILED);
    enqueue(job().unique(key));

    assertThat(requeue(old)).isEqualTo(RequeueResult.KEY_TAKEN);

    assertThat(stateOf(old)).isEqualTo(JobState.FAILED);
  }

  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "CANCELLED", "EXPIRED"})
  void jobsThatEndedOtherwiseAreNotRequeued(JobState state) {
    JobId id = bringTo(job(), state);

    assertThat(requeue(id)).isEqualTo(RequeueResult.ENDED);

    assertThat(stateOf(id)).isEqualTo(state);
  }

  @Test
  void requeuingAnUnknownJobReturnsNotFound() {
    assertThat(requeue(freshId())).isEqualTo(RequeueResult.NOT_FOUND);
  }
}
