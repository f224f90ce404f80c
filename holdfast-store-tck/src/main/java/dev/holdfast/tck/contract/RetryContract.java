package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes.Result;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Retries, with and without using an attempt. */
public abstract class RetryContract extends Contract {

  @Test
  void aRetryWaitsForItsTime() {
    Worker worker = worker();
    JobId id = enqueue(job());

    assertThat(worker.retryIn(worker.claimOne(), Duration.ofMinutes(10))).isEqualTo(Result.WRITTEN);

    assertThat(stateOf(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(worker.claim(1)).isEmpty();
    passTime(Duration.ofMinutes(11));
    stage();
    assertThat(worker.claimOne().id()).isEqualTo(id);
  }

  @Test
  void aRetryIsDueAfterItsDelayFromTheFailure() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    passTime(Duration.ofMinutes(30));
    worker.retryIn(claimed, Duration.ofMinutes(10));

    Job job = find(id);
    assertThat(Duration.between(job.lastFailure().orElseThrow().failedAt(), job.runAt()))
        .isBetween(Duration.ofSeconds(599), Duration.ofSeconds(601));
  }

  @Test
  void theDelayOfARetryMayBeUnlimited() {
    Worker worker = worker();
    JobId id = enqueue(job());

    assertThat(worker.retryIn(worker.claimOne(), Times.LONGEST)).isEqualTo(Result.WRITTEN);

    assertThat(find(id).runAt()).isAfter(find(id).createdAt().plus(Duration.ofDays(364_999)));
    assertThat(stage().readied()).isEmpty();
  }

  @Test
  void aRetryWithoutDelayIsReadyAtOnce() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ZERO);

    assertThat(stateOf(id)).isEqualTo(JobState.READY);
    assertThat(worker.claimOne().id()).isEqualTo(id);
  }

  @Test
  void aRetryGoesToTheEndOfTheQueue() {
    Worker worker = worker();
    JobId failing = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    passTime(Duration.ofMinutes(1));
    JobId waiting = enqueue(job());
    passTime(Duration.ofMinutes(1));
    worker.retryIn(claimed, Duration.ZERO);

    assertThat(worker.claim(2)).extracting(ClaimedJob::id).containsExactly(waiting, failing);
  }

  @Test
  void aRetryIsTheNextAttemptUnderALargerToken() {
    Worker worker = worker();
    enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ZERO);

    ClaimedJob second = worker.claimOne();

    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.token()).isEqualTo(firstToken() + 2);
  }

  @Test
  void everythingElseAboutAJobSurvivesItsRetry() {
    Worker worker = worker();
    enqueue(job().payload("p").policy("{\"x\":1}").tags("a").priority(7));
    ClaimedJob first = worker.claimOne();
    worker.retryIn(first, Duration.ZERO);

    ClaimedJob second = worker.claimOne();

    assertThat(second.payload()).isEqualTo("p");
    assertThat(second.policy()).isEqualTo("{\"x\":1}");
    assertThat(second.tags()).containsExactly("a");
    assertThat(second.priority()).isEqualTo(7);
    assertThat(second.createdAt()).isEqualTo(first.createdAt());
    assertThat(second.readyAt()).isAfterOrEqualTo(first.claimedAt());
  }

  @Test
  void failuresAreStoredOldestFirstWithTheirTimesAndNodes() {
    Worker first = worker("node-1");
    Worker second = worker("node-2");
    JobId id = enqueue(job());
    first.retryIn(first.claimOne(), Duration.ZERO);
    passTime(Duration.ofMinutes(1));
    second.retryIn(second.claimOne(), Duration.ZERO);
    passTime(Duration.ofMinutes(1));
    first.failPermanently(first.claimOne());

    Job job = find(id);

    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.failures()).extracting(FailedAttempt::attempt).containsExactly(1, 2, 3);
    assertThat(job.failures())
        .extracting(FailedAttempt::node)
        .containsExactly("node-1", "node-2", "node-1");
    assertThat(job.failures())
        .extracting(FailedAttempt::message)
        .containsExactly("it broke", "it broke", "it broke permanently");
    assertThat(job.failures())
        .allSatisfy(
            failure -> assertThat(failure.failedAt()).isAfterOrEqualTo(failure.startedAt()));
  }

  @Test
  void failuresOfASuccessfulJobAreStored() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ZERO);
    worker.succeed(worker.claimOne());

    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(find(id).attempt()).isEqualTo(2);
    assertThat(find(id).failures()).hasSize(1);
  }

  @Test
  void aJobThatHasStartedDoesNotExpireWhileItWaitsForItsRetry() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));
    worker.retryIn(worker.claimOne(), Duration.ofMinutes(10));
    passTime(Duration.ofMinutes(11));
    stage();
    stage();

    assertThat(worker.claimOne().id()).isEqualTo(id);
  }

  @Test
  void aPostponedJobWaitsForItsTime() {
    Worker worker = worker();
    JobId id = enqueue(job());

    assertThat(worker.later(worker.claimOne(), Duration.ofMinutes(10))).isEqualTo(Result.WRITTEN);

    assertThat(stateOf(id)).isEqualTo(JobState.SCHEDULED);
    passTime(Duration.ofMinutes(11));
    stage();
    assertThat(worker.claimOne().id()).isEqualTo(id);
  }

  @Test
  void aPostponementUsesNoAttemptAndIsNoFailure() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ZERO);
    worker.later(worker.claimOne(), Duration.ZERO);

    assertThat(stateOf(id)).isEqualTo(JobState.READY);
    assertThat(find(id).failures()).hasSize(1);
    ClaimedJob next = worker.claimOne();
    assertThat(next.attempt()).isEqualTo(2);
    assertThat(next.token()).isEqualTo(firstToken() + 3);
  }

  @Test
  void aJobPostponedBeforeItsHandlerRanCanExpire() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));
    worker.finish(new Finish.Later(worker.claimOne().claim(), Duration.ofSeconds(1), false));
    passTime(Duration.ofMinutes(2));
    stage();

    assertThat(stateOf(id)).isEqualTo(JobState.EXPIRED);
    assertThat(find(id).attempt()).isZero();
  }

  @Test
  void aJobPostponedByItsHandlerNeverExpires() {
    Worker worker = worker();
    JobId id = enqueue(job().startWithin(Duration.ofMinutes(1)));
    worker.later(worker.claimOne(), Duration.ofSeconds(1));
    passTime(Duration.ofMinutes(2));
    stage();

    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }
}
