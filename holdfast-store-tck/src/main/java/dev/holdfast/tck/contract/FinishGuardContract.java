package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes.Result;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A finish under a stale claim or a claim of another node changes nothing. A repeated finish is
 * recognised.
 */
public abstract class FinishGuardContract extends Contract {

  @ParameterizedTest
  @EnumSource
  void aFinishUnderAStaleTokenChangesNothing(Ending ending) {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId stale = worker.claimOne().claim();
    worker.giveBack(stale);
    worker.claimOne();
    Job before = find(id);

    assertThat(worker.finish(ending.of(stale))).isEqualTo(Result.LOST);
    assertThat(find(id)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void aFinishUnderAFutureTokenChangesNothing(Ending ending) {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.claimOne().claim();
    Job before = find(id);

    assertThat(worker.finish(ending.of(new ClaimId(id, held.token() + 1)))).isEqualTo(Result.LOST);
    assertThat(find(id)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void aFinishByAnotherIncarnationChangesNothing(Ending ending) {
    JobId id = enqueue(job());
    ClaimId held = worker("node-1").claimOne().claim();
    Job before = find(id);

    assertThat(worker("node-2").finish(ending.of(held))).isEqualTo(Result.LOST);
    assertThat(find(id)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void aFinishOfAJobThatWasNotStartedChangesNothing(Ending ending) {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.prefetchOne().claim();
    Job before = find(id);

    assertThat(worker.finish(ending.of(held))).isEqualTo(Result.LOST);
    assertThat(find(id)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void aFinishOfAJobThatWasGivenBackChangesNothing(Ending ending) {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimId held = worker.claimOne().claim();
    worker.giveBack(held);
    Job before = find(id);

    assertThat(worker.finish(ending.of(held))).isEqualTo(Result.LOST);
    assertThat(find(id)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void aFinishOfAnUnknownJobIsLost(Ending ending) {
    assertThat(worker().finish(ending.of(new ClaimId(freshId(), 1)))).isEqualTo(Result.LOST);
  }

  @ParameterizedTest
  @EnumSource
  void aRepeatedFinishIsRecognised(Ending ending) {
    Worker worker = worker();
    JobId id = enqueue(job());
    Finish finish = ending.of(worker.claimOne().claim());
    assertThat(worker.finish(finish)).isEqualTo(Result.WRITTEN);
    Job before = find(id);

    assertThat(worker.finish(finish)).isEqualTo(Result.WRITTEN);
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void aRepeatedFinishIsRecognisedInHistory() {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ZERO);
    ClaimedJob claimed = worker.claimOne();
    worker.succeed(claimed);
    passTime(Duration.ofMinutes(10));

    assertThat(worker.succeed(claimed)).isEqualTo(Result.WRITTEN);
    assertThat(worker.finish(new Finish.Succeeded(new ClaimId(id, firstToken() + 1), null, null)))
        .isEqualTo(Result.LOST);
    assertThat(find(id).fencingToken()).isEqualTo(firstToken() + 2);
  }
}
