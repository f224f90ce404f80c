package dev.holdfast.cli.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.TaskStore.Attempts;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ClientCommandTest {
  record Letter(String to) {}

  private static final TaskType<Letter, Void> SEND =
      TaskType.of("mail::send", Letter.class).with(o -> o.queue("mail").retry(RetryPolicy.NEVER));

  private static final UniqueKey KEY = UniqueKey.whileActive("one");

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

    assertThat(holdfast("job", "list", "--queue", "mail", "--state", "ready").out())
        .contains(id.toString());
    assertThat(holdfast("job", "list", "--json", "--task", "mail::send").out())
        .contains("\"state\" : \"READY\"");
    assertThat(holdfast("job", "show", id.toString()).out())
        .contains("mail::send", "READY", "No live node serves queue 'mail'");
    assertThat(holdfast("job", "cancel", id.toString()).out()).contains("is cancelled");

    Cli again = holdfast("job", "cancel", id.toString());
    assertThat(again.exit()).isEqualTo(ExitCode.CONFLICT.number());
    assertThat(again.err()).contains("has already ended", "[JOB_STATE]");
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
      assertThat(holdfast("node", "list").out()).contains(node.id());
    }

    assertThat(holdfast("job", "show", id.toString()).out())
        .contains("FAILED", "attempt 1 failed", "IllegalStateException: No stamps left")
        .contains("at dev.holdfast.cli.ops.ClientCommandTest.")
        .doesNotContain("at dev.holdfast.engine.")
        .containsOnlyOnce("No stamps left");
    assertThat(holdfast("dlq", "retry", id.toString()).out()).contains("is ready again");
    assertThat(holdfast("dlq", "retry", id.toString()).exit()).isEqualTo(5);
  }

  @Test
  void aQueueIsPausedLimitedAndResumed() {
    JobId waits = client.enqueue(SEND, new Letter("a"), job -> job.queue("slow")).id();
    assertThat(holdfast("queue", "pause", "slow").out()).contains("Queue 'slow' is paused");
    assertThat(holdfast("queue", "limit", "slow", "3").out()).contains("limited to 3 jobs");
    assertThat(holdfast("queue", "list").out()).containsPattern("slow +yes +3");
    holdfast("queue", "pause", "slow", "--reason", "the mail server moves");
    assertThat(holdfast("queue", "list", "--limit", "500").out())
        .containsPattern("slow +yes: the mail server moves +3");
    assertThat(holdfast("job", "show", waits.toString()).out()).contains("the mail server moves");

    assertThat(holdfast("queue", "resume", "slow").exit()).isZero();
    assertThat(holdfast("queue", "limit", "slow", "none").exit()).isZero();
    assertThat(holdfast("queue", "list").out()).containsPattern("slow +no +1");
    client.cancel(waits);
  }

  @Test
  void aCountThatStoppedAtItsBoundHasAPlusSign() throws Exception {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.executeUpdate(
          """
          insert into holdfast.job (id, created_at, run_at, rank, priority, state, queue, task)
          select gen_random_uuid(), now(), now() + interval '1 day', now(), 4,
                 case when n <= 3 then 'READY' else 'SCHEDULED' end, 'many', 'many::jobs'
          from generate_series(1, 10004) n
          """);
      assertThat(holdfast("job", "list", "--count", "--queue", "many").out())
          .containsPattern("READY +3\\b(?!\\+)")
          .containsPattern("SCHEDULED +10000\\+");
      statement.executeUpdate("delete from holdfast.job where queue = 'many'");
    }
  }

  @Test
  void listsOfQueuesHavePages() {
    for (String queue : List.of("page-a", "page-b", "page-c")) {
      client.queues().pause(queue);
    }

    String first = holdfast("queue", "list", "--limit", "1").out();
    assertThat(first).contains("There are more: add --cursor ");
    assertThat(holdfast("queue", "resume", "page-c").exit())
        .as("a queue of a later page is known")
        .isZero();
    client.queues().resume("page-a");
    client.queues().resume("page-b");
  }

  @Test
  void anUnknownQueueIsNotPausedUnlessForced() {
    JobId waits = client.enqueue(SEND, new Letter("a"), job -> job.queue("invoices")).id();

    Cli typo = holdfast("queue", "pause", "invocies");
    assertThat(typo.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(typo.err())
        .contains("There is no queue 'invocies'", "Did you mean 'invoices'?", "--force")
        .containsPattern("Known queues: .*invoices");
    assertThat(holdfast("queue", "limit", "invocies", "3").exit()).isEqualTo(3);
    assertThat(holdfast("queue", "resume", "invocies").exit()).isEqualTo(3);
    assertThat(holdfast("queue", "list").out()).doesNotContain("invocies");

    assertThat(holdfast("queue", "pause", "invocies", "--force").exit()).isZero();
    assertThat(holdfast("queue", "list").out()).containsPattern("invocies +yes");
    assertThat(holdfast("queue", "resume", "invocies").exit()).isZero();
    assertThat(holdfast("queue", "list").out()).doesNotContain("invocies");
    client.cancel(waits);
  }

  @Test
  void jsonHasIdsAsTextAndPayloadsAsTheyAre() {
    JobId id = client.enqueue(SEND, new Letter("Ada \"Countess\" L."), job -> job.queue("js")).id();

    JsonNode job = Json.read(holdfast("job", "show", id.toString(), "--json").out());
    JsonNode listed = Json.read(holdfast("job", "list", "--queue", "js", "-o", "json").out());

    assertThat(job.get("id").stringValue()).isEqualTo(id.toString());
    assertThat(job.get("payload").get("to").stringValue()).isEqualTo("Ada \"Countess\" L.");
    assertThat(job.get("result").isNull()).isTrue();
    assertThat(listed.get("next").isNull()).isTrue();
    assertThat(listed.get("jobs").get(0).get("payload")).isEqualTo(job.get("payload"));
    client.cancel(id);
  }

  @Test
  void aTaskIsLimitedAndItsBreakerShownAndClosed() {
    assertThat(holdfast("task", "limit", "mail::slwo", "3").err())
        .contains("There is no task 'mail::slwo'", "--force");
    assertThat(holdfast("task", "limit", "mail::slow", "3", "--force").out())
        .contains("Task 'mail::slow' is limited to 3 jobs");
    store
        .tasks()
        .report(
            new Attempts(
                "mail::slow",
                CircuitBreaker.after(1),
                List.of(new ClaimId(JobId.parse("0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e"), 1)),
                List.of()));
    assertThat(holdfast("task", "list").out()).containsPattern("mail::slow +3 +0 +0 +open +20");

    assertThat(holdfast("task", "close", "mail::slow").out()).contains("is closed");
    assertThat(holdfast("task", "list").out()).containsPattern("mail::slow +3 +0 +0 +closed");
    assertThat(holdfast("task", "limit", "mail::slow", "none").exit()).isZero();
    assertThat(holdfast("task", "list", "--json").out()).contains("\"limit\" : null");
  }

  @Test
  void aBreakerThatIsNotOpenIsReported() {
    Cli tasks = holdfast("task", "close", "mail::misspelt");

    assertThat(tasks.exit()).isEqualTo(ExitCode.CONFLICT.number());
    assertThat(tasks.err()).contains("The circuit breaker of task 'mail::misspelt' is not open");
  }

  @Test
  void anUnknownJobIsReported() {
    Cli job = holdfast("job", "show", "0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e");

    assertThat(job.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(job.err())
        .contains(
            "There is no such job: Job 0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e", "[JOB_NOT_FOUND]");
  }

  @Test
  void requeuingAJobPrintsTheResult() {
    JobId id = client.enqueue(SEND, new Letter("eve"), job -> job.runIn(Duration.ofHours(1))).id();

    assertThat(holdfast("job", "requeue", id.toString()).out())
        .contains("Job " + id + " is ready.");
    assertThat(holdfast("job", "requeue", id.toString()).out()).contains("was already ready");
    client.cancel(id);
    Cli ended = holdfast("job", "requeue", id.toString());
    assertThat(ended.exit()).isEqualTo(ExitCode.CONFLICT.number());
    assertThat(ended.err()).contains("has ended");
    Cli nowhere = holdfast("job", "requeue", "0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e");
    assertThat(nowhere.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(nowhere.err()).contains("Job 0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e does not exist");
  }

  @Test
  void aClaimedJobIsRequeuedByItsHolderAndOneWhoseKeyIsTakenIsNot() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    JobId failed = client.enqueue(SEND, new Letter("f"), job -> job.queue("held").unique(KEY)).id();
    try (HoldfastNode node =
        HoldfastNode.on(store)
            .queue("held", 1)
            .shutdownGrace(Duration.ZERO)
            .handle(
                SEND,
                (letter, context) -> {
                  if (letter.to().equals("f")) {
                    throw new IllegalStateException("It fails");
                  }
                  started.countDown();
                  new CountDownLatch(1).await();
                  return null;
                })
            .start()) {
      await().until(() -> client.find(failed).orElseThrow().state() == JobState.FAILED);
      JobId held = client.enqueue(SEND, new Letter("g"), job -> job.queue("held").unique(KEY)).id();
      started.await();
      assertThat(node.held()).isEqualTo(1);

      assertThat(holdfast("job", "requeue", held.toString()).out())
          .contains("is claimed; its node was told to hand it back");
      Cli taken = holdfast("job", "requeue", failed.toString());
      assertThat(taken.exit()).isEqualTo(ExitCode.CONFLICT.number());
      assertThat(taken.err()).contains("Another active job has the unique key");
      client.cancel(held);
    }
  }

  @Test
  void aNodeIsControlledByItsId() {
    try (HoldfastNode node =
        HoldfastNode.on(store)
            .id("controlled")
            .stack("blue")
            .mode(NodeMode.TRIGGER_ONLY)
            .queue("controlled", 1)
            .handle(SEND, (letter, context) -> null)
            .start()) {
      assertThat(holdfast("node", "mode", "controlled", "full", "--task", "mail::*").out())
          .contains("1 live node(s) with id 'controlled' were notified");
      assertThat(holdfast("node", "list").out())
          .containsPattern("controlled +yes .* trigger-only, mail::\\* full +blue ");
      assertThat(holdfast("node", "clear", "controlled", "--task", "mail::*").exit()).isZero();
      assertThat(node.client().nodes().list())
          .filteredOn(info -> info.id().equals("controlled"))
          .singleElement()
          .satisfies(info -> assertThat(info.modeOverrides()).isEmpty());
      assertThat(holdfast("node", "mode", "controlled", "--task", "mail::*", "disabled").exit())
          .isZero();
      assertThat(holdfast("node", "clear", "controlled").exit()).isZero();
      assertThat(holdfast("node", "list").out())
          .containsPattern("controlled +yes .* trigger-only +blue ");

      JobId made = node.client().enqueue(SEND, new Letter("x")).id();
      assertThat(holdfast("job", "show", made.toString()).out())
          .containsPattern("stack +blue")
          .containsPattern("source +controlled");
      client.cancel(made);

      UUID before = node.incarnation();
      assertThat(holdfast("node", "fence", "controlled").exit()).isZero();
      await().until(() -> !node.incarnation().equals(before));

      UUID fenced = node.incarnation();
      // A node that sends a heartbeat at the same moment is not declared dead.
      await()
          .until(
              () -> holdfast("node", "recover", "controlled").out(),
              out -> out.contains("1 node(s) with id 'controlled' were declared dead"));
      await().until(() -> !node.incarnation().equals(fenced));
    }
    Cli unknown = holdfast("node", "fence", "controlled");
    assertThat(unknown.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(unknown.err()).contains("There is no live node with id 'controlled'");
    Cli wrong = holdfast("node", "mode", "controlled", "half");
    assertThat(wrong.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(wrong.err()).contains("Mode 'half' does not exist");
  }

  @Test
  void storedHeartbeatsAreListed() {
    try (HoldfastNode node =
        HoldfastNode.on(store)
            .id("kept")
            .liveness(s -> s.heartbeat(Duration.ofMillis(50)).keepHeartbeats(Duration.ofDays(1)))
            .start()) {
      await().until(() -> client.nodes().heartbeats("kept", 10).size() >= 2);

      assertThat(holdfast("node", "beats", "kept", "--limit", "2").out())
          .contains(node.incarnation().toString());
      assertThat(holdfast("node", "beats", "kept", "--json").out()).contains("\"node\" : \"kept\"");
    }
    Cli none = holdfast("node", "beats", "unknown");
    assertThat(none.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(none.err()).contains("No heartbeats of node 'unknown' are stored");
  }

  private static Cli holdfast(String... args) {
    return Cli.on(DATABASE, args);
  }
}
