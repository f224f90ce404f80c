package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Counts;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  @ParameterizedTest
  @EnumSource(names = {"SCHEDULED", "READY", "CLAIMED", "RUNNING", "FAILED"})
  void countingStopsAtItsBoundAndNamesTheState(JobState state) {
    three(state);

    for (JobFilter filter :
        List.of(
            JobFilter.all(),
            JobFilter.all().state(state),
            JobFilter.all().queue(QUEUE),
            JobFilter.all().task(TASK),
            JobFilter.all().task(TASK).queue(QUEUE),
            JobFilter.all().tag("eu"),
            JobFilter.all().createdAfter(Instant.EPOCH))) {
      assertThat(store.queries().count(filter, 2))
          .as("two of %s", filter)
          .satisfies(counts -> assertThat(counts.byState()).isEqualTo(Map.of(state, 2L)))
          .satisfies(counts -> assertThat(counts.more()).contains(state));
      assertThat(store.queries().count(filter, 3))
          .as("three of %s", filter)
          .isEqualTo(new Counts<>(Map.of(state, 3L), Set.of()));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "CANCELLED", "EXPIRED"})
  void endedJobsAreCountedExactlyUnlessTheFilterNeedsTheirRows(JobState state) {
    three(state);

    for (JobFilter filter :
        List.of(
            JobFilter.all(),
            JobFilter.all().state(state),
            JobFilter.all().queue(QUEUE),
            JobFilter.all().task(TASK))) {
      assertThat(store.queries().count(filter, 2))
          .as("all of %s", filter)
          .isEqualTo(new Counts<>(Map.of(state, 3L), Set.of()));
    }
    for (JobFilter filter :
        List.of(
            JobFilter.all().tag("eu"),
            JobFilter.all().createdAfter(Instant.EPOCH),
            JobFilter.all().createdAfter(Instant.EPOCH).queue(QUEUE).task(TASK))) {
      assertThat(store.queries().count(filter, 2))
          .as("two of %s", filter)
          .satisfies(counts -> assertThat(counts.byState()).isEqualTo(Map.of(state, 2L)))
          .satisfies(counts -> assertThat(counts.more()).contains(state));
      assertThat(store.queries().count(filter, 3))
          .as("three of %s", filter)
          .isEqualTo(new Counts<>(Map.of(state, 3L), Set.of()));
    }
  }

  private void three(JobState state) {
    for (int i = 0; i < 3; i++) {
      bringTo(job().tags("eu"), state);
    }
  }

  @Test
  void theBoundIsOfEachState() {
    three(JobState.RUNNING);
    bringTo(job(), JobState.SCHEDULED);
    three(JobState.FAILED);

    assertThat(store.queries().count(JobFilter.all(), 2))
        .isEqualTo(
            new Counts<>(
                Map.of(JobState.RUNNING, 2L, JobState.SCHEDULED, 1L, JobState.FAILED, 2L),
                Set.of(JobState.RUNNING, JobState.FAILED)));
  }

  @Test
  void readyJobsOfStacksAndOfSeveralQueuesAreCountedTogether() {
    enqueue(job());
    enqueue(job().stack("blue"));
    enqueue(job().queue("a-queue").task("other"));
    enqueue(job().queue("z-queue"));
    enqueue(job().queue("z-queue").stack("blue").task("other"));

    assertThat(count(JobFilter.all(), JobState.READY)).isEqualTo(5);
    assertThat(count(JobFilter.all().task("other"), JobState.READY)).isEqualTo(2);
    assertThat(count(JobFilter.all().queue("z-queue"), JobState.READY)).isEqualTo(2);
    assertThat(store.queries().count(JobFilter.all(), 4))
        .isEqualTo(new Counts<>(Map.of(JobState.READY, 4L), Set.of(JobState.READY)));
  }
}
