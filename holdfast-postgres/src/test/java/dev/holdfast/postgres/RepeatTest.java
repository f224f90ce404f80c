package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.tck.contract.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Repeated reports that arrive long after the state of the job has changed. */
class RepeatTest {
  private static PostgresFixture fixture;

  private Worker worker;
  private NewJob job;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void enqueue() {
    fixture.emptied();
    worker = Worker.join(fixture.store(), "node-1", Drafts.QUEUE, Drafts.TASK);
    job = Drafts.job();
    fixture.store().intake().enqueue(List.of(job));
  }

  @Test
  void aRepeatedRetryIsRecognisedAfterLaterAttemptsAndTheEnd() {
    ClaimedJob first = worker.claimOne();
    worker.retryIn(first, Duration.ZERO);
    worker.retryIn(worker.claimOne(), Duration.ZERO);
    assertThat(worker.retryIn(first, Duration.ZERO)).isEqualTo(Result.WRITTEN);

    ClaimedJob third = worker.claimOne();
    assertThat(worker.retryIn(first, Duration.ZERO)).isEqualTo(Result.WRITTEN);

    worker.succeed(third);
    assertThat(worker.retryIn(first, Duration.ZERO)).isEqualTo(Result.WRITTEN);
    assertThat(find().failures()).extracting(FailedAttempt::attempt).containsExactly(1, 2);
  }

  @Test
  void aRepeatedPermanentFailureIsRecognisedAfterTheJobWasRetried() {
    ClaimedJob first = worker.claimOne();
    worker.failPermanently(first);
    fixture.store().control().retry(job.id());

    assertThat(worker.failPermanently(first)).isEqualTo(Result.WRITTEN);
    assertThat(find().failures()).hasSize(1);
  }

  @Test
  void aFinishThatDiffersFromTheStoredOneIsNotRecognised() {
    ClaimedJob first = worker.claimOne();
    worker.retryIn(first, Duration.ZERO);

    assertThat(worker.succeed(first)).isEqualTo(Result.LOST);
    assertThat(worker.failPermanently(first)).isEqualTo(Result.WRITTEN);
  }

  @Test
  void everyFailedAttemptIsStored() {
    for (int i = 0; i < 60; i++) {
      worker.retryIn(worker.claimOne(), Duration.ZERO);
    }

    assertThat(find().attempt()).isEqualTo(60);
    assertThat(find().failures()).hasSize(60);
    assertThat(find().failures().getFirst().attempt()).isEqualTo(1);
    assertThat(find().failures().getLast().attempt()).isEqualTo(60);
  }

  @Test
  void oneBatchMayContainManyKindsOfEnds() {
    List<NewJob> more = List.of(Drafts.job(), Drafts.job(), Drafts.job(), Drafts.job());
    fixture.store().intake().enqueue(more);
    List<ClaimedJob> claimed = worker.claim(5);

    List<Result> results =
        worker.finishAll(
            List.of(
                new Finish.Dead(claimed.get(0).claim(), worker.failure(claimed.get(0), "no")),
                new Finish.Succeeded(claimed.get(1).claim(), null, null),
                new Finish.Later(claimed.get(2).claim(), Duration.ofMinutes(1)),
                new Finish.Cancelled(claimed.get(3).claim()),
                new Finish.RetryIn(
                    claimed.get(4).claim(),
                    Duration.ofMinutes(1),
                    worker.failure(claimed.get(4), "no"))));

    assertThat(results).containsOnly(Result.WRITTEN);
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("2");
    assertThat(fixture.ask("select count(*) from holdfast.job_history")).isEqualTo("2");
    assertThat(fixture.ask("select count(*) from holdfast.dead_letter")).isEqualTo("1");
    assertThat(
            fixture.ask(
                "select string_agg(state || count, ' ' order by state) from holdfast.tally"))
        .isEqualTo("CANCELLED1 FAILED1 SUCCEEDED1");
  }

  private Job find() {
    JobId id = job.id();
    return fixture.store().queries().find(Set.of(id)).get(id);
  }
}
