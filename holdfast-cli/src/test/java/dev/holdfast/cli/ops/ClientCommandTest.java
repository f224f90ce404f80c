package dev.holdfast.cli.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.Breaker;
import dev.holdfast.api.task.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.cli.Cli;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.HoldfastClient;
import dev.holdfast.engine.HoldfastNode;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.TaskBook.Attempts;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ClientCommandTest {
  record Letter(String to) {}

  private static final TaskType<Letter, Void> SEND =
      TaskType.of("mail::send", Letter.class).with(o -> o.queue("mail").retry(RetryPolicy.NEVER));

  private static final TestDatabase DATABASE = SharedServer.freshDatabase();
  private static PostgresStore store;
  private static Holdfast client;

  @BeforeAll
  static void open() {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(DATABASE.jdbcUrl())
                .user(DATABASE.user())
                .password(DATABASE.password())
                .build());
    client = HoldfastClient.on(store);
  }

  @AfterAll
  static void close() {
    client.close();
    store.close();
    DATABASE.close();
  }

  @Test
  void aWaitingJobIsShownWithWhyItWaitsAndCanBeCancelledOnce() {
    JobId id = client.enqueue(SEND, new Letter("ada")).id();

    assertThat(holdfast("jobs", "--queue", "mail", "--state", "ready").out())
        .contains(id.toString());
    assertThat(holdfast("jobs", "--json", "--task", "mail::send").out())
        .contains("\"state\" : \"READY\"");
    assertThat(holdfast("job", id.toString()).out())
        .contains("mail::send", "READY", "No live node serves queue 'mail'");
    assertThat(holdfast("cancel", id.toString()).out()).contains("is cancelled");

    Cli again = holdfast("cancel", id.toString());
    assertThat(again.exit()).isEqualTo(1);
    assertThat(again.out()).contains("had ended before");
  }

  @Test
  void aFailedJobIsShownWithItsAttemptsAndCanBeRetried() {
    JobId id = client.enqueue(SEND, new Letter("bob")).id();
    try (HoldfastNode node =
        HoldfastNode.on(store)
            .queue("mail", 1)
            .handle(
                SEND,
                (letter, context) -> {
                  throw new IllegalStateException("No stamps left");
                })
            .start()) {
      await().until(() -> client.find(id).orElseThrow().state() == JobState.FAILED);
      assertThat(holdfast("nodes").out()).contains(node.id());
    }

    assertThat(holdfast("job", id.toString()).out())
        .contains("FAILED", "attempt 1 failed", "IllegalStateException: No stamps left");
    assertThat(holdfast("retry", id.toString()).out()).contains("is ready again");
    assertThat(holdfast("retry", id.toString()).exit()).isEqualTo(1);
  }

  @Test
  void aQueueIsPausedLimitedAndResumed() {
    assertThat(holdfast("pause", "slow").out()).contains("Queue 'slow' is paused");
    assertThat(holdfast("limit", "slow", "3").out()).contains("limited to 3 jobs");
    assertThat(holdfast("queues").out()).containsPattern("slow +yes +3");

    assertThat(holdfast("resume", "slow").exit()).isZero();
    assertThat(holdfast("limit", "slow", "none").exit()).isZero();
    assertThat(holdfast("queues").out()).containsPattern("slow +no +0");
  }

  @Test
  void aTaskIsLimitedAndItsBreakerShownAndClosed() {
    assertThat(holdfast("limit", "--task", "mail::slow", "3").out())
        .contains("Task 'mail::slow' is limited to 3 jobs");
    store
        .tasks()
        .report(
            new Attempts(
                "mail::slow",
                Breaker.after(1),
                List.of(new Held(JobId.parse("0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e"), 1)),
                List.of()));
    assertThat(holdfast("tasks").out()).containsPattern("mail::slow +3 +0 +0 +open +20");

    assertThat(holdfast("tasks", "--close", "mail::slow").out())
        .containsPattern("mail::slow +3 +0 +0 +closed");
    assertThat(holdfast("limit", "--task", "mail::slow", "none").exit()).isZero();
    assertThat(holdfast("tasks", "--json").out()).contains("\"limit\" : null");
  }

  @Test
  void aBreakerThatIsNotOpenIsSaidToBe() {
    Cli tasks = holdfast("tasks", "--close", "mail::misspelt");

    assertThat(tasks.exit()).isEqualTo(1);
    assertThat(tasks.out()).contains("The breaker of task 'mail::misspelt' is not open");
  }

  @Test
  void aJobThatIsNotThereIsSaidToBe() {
    Cli job = holdfast("job", "0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e");

    assertThat(job.exit()).isEqualTo(1);
    assertThat(job.out()).contains("There is no job 0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e");
  }

  private static Cli holdfast(String... args) {
    return Cli.on(DATABASE, args);
  }
}
