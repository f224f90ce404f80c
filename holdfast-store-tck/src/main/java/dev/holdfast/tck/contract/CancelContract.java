package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes.Result;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cancelling waiting and running jobs. */
public abstract class CancelContract extends Contract {

  @ParameterizedTest
  @EnumSource(names = {"SCHEDULED", "READY", "CLAIMED"})
  void aJobThatHasNotStartedIsCancelledAtOnce(JobState state) {
    JobId id = bringTo(job(), state);

    assertThat(store.control().cancel(id)).isEqualTo(CancelResult.CANCELLED);

    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.CANCELLED);
    assertThat(job.endedAt()).isNotNull();
    assertThat(store.nodes().holderOf(id)).isEmpty();
    assertThat(worker().claim(1)).isEmpty();
  }

  @Test
  void aJobThatWaitsForItsRetryIsCancelledAtOnce() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ofHours(1));

    assertThat(store.control().cancel(id)).isEqualTo(CancelResult.CANCELLED);
    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
    assertThat(find(id).failures()).hasSize(1);
  }

  @Test
  void cancellingARunningJobRequestsThatItStops() {
    JobId id = bringTo(job(), JobState.RUNNING);

    assertThat(store.control().cancel(id)).isEqualTo(CancelResult.REQUESTED);
    assertThat(stateOf(id)).isEqualTo(JobState.RUNNING);
    assertThat(find(id).cancelRequested()).isTrue();
  }

  @Test
  void aRepeatedCancelRequestHasNoFurtherEffect() {
    JobId id = bringTo(job(), JobState.RUNNING);
    store.control().cancel(id);
    Job before = find(id);

    assertThat(store.control().cancel(id)).isEqualTo(CancelResult.REQUESTED);
    assertThat(find(id)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})
  void aJobThatHasEndedStaysAsItIs(JobState state) {
    JobId id = bringTo(job(), state);
    Job before = find(id);

    assertThat(store.control().cancel(id)).isEqualTo(CancelResult.ALREADY_ENDED);
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void anUnknownJobIsNotFound() {
    assertThat(store.control().cancel(freshId())).isEqualTo(CancelResult.NOT_FOUND);
  }

  @Test
  void aCancelRequestTurnsARetryIntoCancelled() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(id);

    assertThat(worker.retryIn(claimed, Duration.ZERO)).isEqualTo(Result.CANCELLED_INSTEAD);
    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
    assertThat(find(id).endedAt()).isNotNull();
    assertThat(worker.claim(1)).isEmpty();
  }

  @Test
  void aCancelRequestTurnsAPostponementIntoCancelled() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(id);

    assertThat(worker.later(claimed, Duration.ofHours(1))).isEqualTo(Result.CANCELLED_INSTEAD);
    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aRepeatedReportOfACancelledJobGetsTheSameResult() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(id);
    worker.retryIn(claimed, Duration.ZERO);
    Job before = find(id);

    assertThat(worker.retryIn(claimed, Duration.ZERO)).isEqualTo(Result.CANCELLED_INSTEAD);
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void aSuccessAlreadyWrittenWinsOverACancel() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.succeed(worker.claimOne());

    assertThat(store.control().cancel(id)).isEqualTo(CancelResult.ALREADY_ENDED);
    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aJobThatSucceedsDespiteACancelRequestHasSucceeded() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(id);

    assertThat(worker.succeed(claimed)).isEqualTo(Result.WRITTEN);
    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(find(id).result()).isEqualTo("\"done\"");
  }

  @Test
  void aJobThatFailsPermanentlyDespiteACancelRequestHasFailed() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(id);

    assertThat(worker.failPermanently(claimed)).isEqualTo(Result.WRITTEN);
    assertThat(stateOf(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aCancelRequestAffectsOneJobOnly() {
    Worker worker = worker();
    List<JobId> ids = enqueueAll(job(), job());
    List<ClaimedJob> claimed = worker.claim(2);
    store.control().cancel(ids.get(0));

    List<Result> results =
        worker.finishAll(
            claimed.stream().map(job -> new Finish.Later(job.claim(), Duration.ZERO)).toList());

    assertThat(results).containsExactly(Result.CANCELLED_INSTEAD, Result.WRITTEN);
    assertThat(ids).extracting(this::stateOf).containsExactly(JobState.CANCELLED, JobState.READY);
  }

  @Test
  void aConcurrentCancelAndStartAgree() throws Exception {
    Worker worker = worker();
    for (int round = 0; round < 20; round++) {
      JobId id = enqueue(job());
      ClaimedJob claimed = worker.prefetchOne();

      List<Object> results =
          Together.run(
              2,
              n -> n == 0 ? store.control().cancel(id) : !worker.start(claimed.claim()).isEmpty());

      boolean cancelledAtOnce = results.get(0) == CancelResult.CANCELLED;
      boolean started = (boolean) results.get(1);
      assertThat(started).isEqualTo(!cancelledAtOnce);
      assertThat(stateOf(id)).isEqualTo(started ? JobState.RUNNING : JobState.CANCELLED);
    }
  }
}
