package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Counting jobs, including ended ones. */
public abstract class CountContract extends Contract {

  @Test
  void anEmptyStoreCountsNothing() {
    assertThat(countAll(JobFilter.all())).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      names = {"WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void jobsAreCountedInEveryState(JobState state) {
    bringTo(job(), state);
    bringTo(job(), state == JobState.READY ? JobState.CANCELLED : state);

    assertThat(count(JobFilter.all(), state)).isEqualTo(state == JobState.READY ? 1 : 2);
    assertThat(countAll(JobFilter.all())).isEqualTo(2);
  }

  @Test
  void queuedJobsAreCountedUpToABound() {
    assertThat(store.queries().countQueued(5)).isZero();
    bringTo(job(), JobState.READY);
    bringTo(job().queue("a").task("other"), JobState.READY);
    bringTo(job(), JobState.SCHEDULED);
    bringTo(job().queue("b"), JobState.SCHEDULED);
    bringTo(job().queue("c"), JobState.RUNNING);
    bringTo(job().queue("d"), JobState.SUCCEEDED);
    bringTo(job().queue("e"), JobState.FAILED);

    assertThat(store.queries().countQueued(5)).isEqualTo(4);
    assertThat(store.queries().countQueued(4)).isEqualTo(4);
    assertThat(store.queries().countQueued(3)).isEqualTo(3);
    assertThat(store.queries().countQueued(1)).isEqualTo(1);
  }

  @Test
  void aCountOfOneStateExcludesTheOthers() {
    bringTo(job().queue("a"), JobState.READY);
    bringTo(job().queue("b"), JobState.SUCCEEDED);
    bringTo(job().queue("c"), JobState.FAILED);

    assertThat(countAll(JobFilter.all().state(JobState.SUCCEEDED))).isEqualTo(1);
    assertThat(countAll(JobFilter.all().state(JobState.READY, JobState.FAILED))).isEqualTo(2);
    assertThat(countAll(JobFilter.all().state(JobState.EXPIRED))).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"SCHEDULED", "READY", "SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})
  void jobsAreCountedByQueueTaskAndTag(JobState state) {
    bringTo(job().tags("eu"), state);
    bringTo(job().queue("bulk").tags("eu", "new"), state);
    bringTo(job().task("other"), state);
    bringTo(job().queue("bulk").task("other"), state);

    assertThat(count(JobFilter.all().queue("bulk"), state)).isEqualTo(2);
    assertThat(count(JobFilter.all().task("other"), state)).isEqualTo(2);
    assertThat(count(JobFilter.all().queue("bulk").task("other"), state)).isEqualTo(1);
    assertThat(count(JobFilter.all().tag("eu"), state)).isEqualTo(2);
    assertThat(count(JobFilter.all().tag("new"), state)).isEqualTo(1);
    assertThat(count(JobFilter.all().tag("eu").queue("bulk"), state)).isEqualTo(1);
    assertThat(count(JobFilter.all().tag("none"), state)).isZero();
    assertThat(count(JobFilter.all().queue("none"), state)).isZero();
  }

  @Test
  void aJobRetriedFromTheDeadLetterQueueIsNoLongerCountedAsFailed() {
    JobId id = bringTo(job().tags("eu"), JobState.FAILED);
    store.control().retry(id);

    assertThat(count(JobFilter.all(), JobState.FAILED)).isZero();
    assertThat(count(JobFilter.all().tag("eu"), JobState.FAILED)).isZero();
    assertThat(count(JobFilter.all(), JobState.READY)).isEqualTo(1);
  }

  @Test
  void purgedJobsAreNoLongerCounted() {
    bringTo(job(), JobState.FAILED);
    store.control().purge(JobFilter.all(), null, PLENTY);

    assertThat(countAll(JobFilter.all())).isZero();
  }

  @Test
  void aJobWithTwoAttemptsIsCountedOnce() {
    Worker worker = worker();
    enqueue(job());
    worker.retryIn(worker.claimOne(), Duration.ZERO);
    worker.succeed(worker.claimOne());

    assertThat(count(JobFilter.all(), JobState.SUCCEEDED)).isEqualTo(1);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void aRepeatedFinishIsCountedOnce() {
    Worker worker = worker();
    enqueue(job());
    var claimed = worker.claimOne();
    worker.succeed(claimed);
    worker.succeed(claimed);

    assertThat(count(JobFilter.all(), JobState.SUCCEEDED)).isEqualTo(1);
  }
}
