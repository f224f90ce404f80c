package dev.holdfast.junit;

import static dev.holdfast.testkit.assertion.HoldfastAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.testkit.node.DrainResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client and a node on PostgreSQL for each test. */
class PostgresExtensionTest {
  record Step(String name, boolean fails) {}

  private static final TaskType<Step, String> STEP =
      TaskType.of("test::step", Step.class, String.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofHours(1)).maxAttempts(2)));

  private static final List<String> seen = new ArrayList<>();

  @RegisterExtension
  static final HoldfastExtension holdfast =
      HoldfastExtension.onPostgres().handle(STEP, PostgresExtensionTest::handle);

  private static String handle(Step step, TaskContext context) {
    seen.add(step.name() + " on " + Thread.currentThread().threadId());
    if (step.fails()) {
      throw new IllegalStateException("as told");
    }
    if (step.name().equals("first")) {
      holdfast.client().enqueue(STEP, new Step("second", false));
    }
    return step.name();
  }

  @BeforeEach
  void forget() {
    seen.clear();
  }

  private static String here(String name) {
    return name + " on " + Thread.currentThread().threadId();
  }

  @Test
  void dueJobsRunOnTheThreadThatDrains(Holdfast client) throws InterruptedException {
    var job = client.enqueue(STEP, new Step("first", false));

    assertThat(holdfast.drain()).isEqualTo(new DrainResult(2, 0, 0, List.of()));

    assertThat(seen).containsExactly(here("first"), here("second"));
    assertThat(client.await(job, Duration.ofSeconds(20))).isEqualTo("first");
    assertThat(holdfast.drain().attempts()).isZero();
  }

  @Test
  void jobsOfOtherTestsAreNotVisible(Holdfast client) {
    assertThat(client).notEnqueued(STEP);
    client.enqueue(STEP, new Step("one", false));
  }

  @Test
  void jobsOfOtherTestsAreNotVisibleHereEither(Holdfast client) {
    assertThat(client).notEnqueued(STEP);
    client.enqueue(STEP, new Step("two", false));
  }

  @Test
  void aJobOfACommittedTransactionRunsAndOneOfARolledBackTransactionDoesNot(
      Holdfast client, DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      client.in(connection).enqueue(STEP, new Step("lost", false));
      connection.rollback();
      client.in(connection).enqueue(STEP, new Step("kept", false));
      connection.commit();
    }

    holdfast.drain().orThrow();

    assertThat(seen).containsExactly(here("kept"));
    assertThat(client).enqueued(STEP).with(step -> step.name().equals("kept")).times(1);
  }

  @Test
  void aFailedAttemptIsRetriedOnceItIsMadeDue(Holdfast client) {
    JobId job = client.enqueue(STEP, new Step("fails", true)).id();

    assertThat(holdfast.drain().retried()).isEqualTo(1);
    assertThat(holdfast.drain().attempts()).isZero();
    client.requeue(job);
    assertThat(holdfast.drain().deadLettered()).isEqualTo(1);

    Job ended = client.find(job).orElseThrow();
    assertThat(ended.state()).isEqualTo(JobState.FAILED);
    assertThat(ended.failures()).hasSize(2);
  }

  @Test
  void theClockOfPostgresCannotBeAdvanced() {
    assertThatThrownBy(() -> holdfast.advance(Duration.ofHours(1)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("use a node in memory for this test");
  }
}
