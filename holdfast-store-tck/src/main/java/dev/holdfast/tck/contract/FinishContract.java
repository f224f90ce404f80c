package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes.Result;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How attempts end: by success, by permanent failure, or by cancellation. */
public abstract class FinishContract extends Contract {

  @Test
  void aSuccessIsStoredWithItsResult() {
    Worker worker = worker("node-7");
    JobId id = enqueue(job().payload("in").tags("a"));
    ClaimedJob claimed = worker.claimOne();
    passTime(Duration.ofMinutes(3));

    Result result = worker.finish(new Finish.Succeeded(claimed.claim(), "\"out\"", null));

    assertThat(result).isEqualTo(Result.WRITTEN);
    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.result()).isEqualTo("\"out\"");
    assertThat(job.payload()).isEqualTo("in");
    assertThat(job.tags()).containsExactly("a");
    assertThat(job.attempt()).isEqualTo(1);
    assertThat(job.fencingToken()).isEqualTo(claimed.token());
    assertThat(job.node()).isEqualTo("node-7");
    assertThat(Duration.between(job.startedAt(), job.endedAt()))
        .isBetween(Duration.ofMinutes(3), Duration.ofMinutes(4));
  }

  @Test
  void aSuccessNeedsNoResult() {
    Worker worker = worker();
    JobId id = enqueue(job());

    worker.finish(new Finish.Succeeded(worker.claimOne().claim(), null, null));

    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(find(id).result()).isNull();
  }

  @Test
  void aResultWithoutRetentionIsNotStored() {
    Worker worker = worker();
    JobId id = enqueue(job());

    worker.finish(new Finish.Succeeded(worker.claimOne().claim(), "\"secret\"", Duration.ZERO));

    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(find(id).result()).isNull();
  }

  @Test
  void aResultIsReturnedUntilItsRetentionIsOver() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.finish(
        new Finish.Succeeded(worker.claimOne().claim(), "\"brief\"", Duration.ofHours(1)));
    passTime(Duration.ofMinutes(59));
    assertThat(find(id).result()).isEqualTo("\"brief\"");

    passTime(Duration.ofMinutes(2));

    assertThat(find(id).result()).isNull();
    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aPermanentFailureIsStoredWithItsCause() {
    Worker worker = worker("node-7");
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    passTime(Duration.ofMinutes(3));

    Result result =
        worker.finish(
            new Finish.Dead(
                claimed.claim(),
                new Finish.Failure(
                    1,
                    "CARD_DECLINED",
                    "Declined",
                    "no 'funds' \"left\"",
                    "at X\n\tat Y",
                    "node-7")));

    assertThat(result).isEqualTo(Result.WRITTEN);
    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.endedAt()).isNotNull();
    assertThat(job.attempt()).isEqualTo(1);
    FailedAttempt failure = job.lastFailure().orElseThrow();
    assertThat(failure.attempt()).isEqualTo(1);
    assertThat(failure.code()).isEqualTo("CARD_DECLINED");
    assertThat(failure.type()).isEqualTo("Declined");
    assertThat(failure.message()).isEqualTo("no 'funds' \"left\"");
    assertThat(failure.stackTrace()).isEqualTo("at X\n\tat Y");
    assertThat(failure.node()).isEqualTo("node-7");
    assertThat(failure.startedAt()).isNotNull();
    assertThat(Duration.between(failure.startedAt(), failure.failedAt()))
        .isBetween(Duration.ofMinutes(3), Duration.ofMinutes(4));
  }

  @Test
  void aFailureNeedsNeitherTypeNorStackTrace() {
    Worker worker = worker();
    JobId id = enqueue(job());

    worker.finish(new Finish.Dead(worker.claimOne().claim(), Ending.failure("")));

    FailedAttempt failure = find(id).lastFailure().orElseThrow();
    assertThat(failure.type()).isNull();
    assertThat(failure.stackTrace()).isNull();
    assertThat(failure.message()).isEmpty();
  }

  @Test
  void aJobStoppedByACancelRequestIsCancelled() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(id);

    assertThat(worker.finish(new Finish.Cancelled(claimed.claim()))).isEqualTo(Result.WRITTEN);
    assertThat(stateOf(id)).isEqualTo(JobState.CANCELLED);
    assertThat(find(id).endedAt()).isNotNull();
  }

  @ParameterizedTest
  @EnumSource
  void aFinishedJobHasNoHolder(Ending ending) {
    Worker worker = worker();
    JobId id = enqueue(job());

    worker.finish(ending.of(worker.claimOne().claim()));

    assertThat(store.nodes().holderOf(id)).isEmpty();
    assertThat(worker.beat().claims()).isEmpty();
  }

  @Test
  void theResultsOfABatchAreInItsOrderAndLostClaimsDoNotAffectTheRest() {
    Worker worker = worker();
    List<JobId> ids = enqueueAll(job(), job(), job(), job(), job(), job());
    List<ClaimId> held = worker.claim(6).stream().map(ClaimedJob::claim).toList();
    worker.giveBack(held.get(2));

    List<Result> results =
        worker.finishAll(
            List.of(
                Ending.SUCCEEDED.of(held.get(5)),
                Ending.DEAD.of(held.get(1)),
                Ending.SUCCEEDED.of(held.get(2)),
                Ending.RETRY_IN.of(held.get(0)),
                Ending.CANCELLED.of(held.get(4)),
                Ending.LATER.of(held.get(3))));

    assertThat(results)
        .containsExactly(
            Result.WRITTEN,
            Result.WRITTEN,
            Result.LOST,
            Result.WRITTEN,
            Result.WRITTEN,
            Result.WRITTEN);
    assertThat(ids)
        .extracting(this::stateOf)
        .containsExactly(
            JobState.SCHEDULED,
            JobState.FAILED,
            JobState.READY,
            JobState.SCHEDULED,
            JobState.CANCELLED,
            JobState.SUCCEEDED);
  }

  @Test
  void anEmptyBatchHasNoResults() {
    assertThat(worker().finishAll(List.of())).isEmpty();
  }

  @Test
  void aThousandJobsAreFinishedInOneCall() {
    Worker worker = worker();
    enqueueAll(IntStream.range(0, 1000).mapToObj(n -> job()).toArray(JobDraft[]::new));
    List<Finish> finishes =
        worker.claim(1000).stream().map(job -> Ending.SUCCEEDED.of(job.claim())).toList();

    assertThat(worker.finishAll(finishes)).hasSize(1000).containsOnly(Result.WRITTEN);
  }

  static Stream<Named<Function<ClaimId, Finish>>> finishesThatCannotBeStored() {
    return Stream.of(
        Named.of("a result", held -> new Finish.Succeeded(held, "poi\0son", null)),
        Named.of("a failure", held -> new Finish.Dead(held, Ending.failure("poi\0son"))),
        Named.of(
            "a failure to be retried",
            held -> new Finish.RetryIn(held, Duration.ZERO, Ending.failure("poi\0son"))));
  }

  @ParameterizedTest
  @MethodSource("finishesThatCannotBeStored")
  void aTextThatCannotBeStoredFailsItsWholeBatch(Function<ClaimId, Finish> poison) {
    Worker worker = worker();
    List<JobId> ids = enqueueAll(job(), job(), job());
    List<ClaimId> held = worker.claim(3).stream().map(ClaimedJob::claim).toList();

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() ->
            worker.finishAll(
                List.of(
                    Ending.SUCCEEDED.of(held.get(0)),
                    poison.apply(held.get(1)),
                    Ending.DEAD.of(held.get(2)))))
        .returns(StoreException.Outcome.REFUSED, StoreException::outcome);
    assertThat(ids).extracting(this::stateOf).containsOnly(JobState.RUNNING);
    assertThat(worker.finish(Ending.SUCCEEDED.of(held.get(0)))).isEqualTo(Result.WRITTEN);
  }
}
