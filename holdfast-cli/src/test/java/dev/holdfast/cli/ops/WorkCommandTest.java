package dev.holdfast.cli.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Commands that enqueue, retry and delete jobs, control triggers, and release leases. */
class WorkCommandTest {
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
  void aJobIsEnqueuedWithItsOptions() {
    Cli enqueue =
        holdfast(
            "job",
            "enqueue",
            "mail::send",
            "{\"to\": \"ada\"}",
            "--queue=post",
            "--priority=7",
            "--in=2h",
            "--tag=a",
            "--tag=b",
            "--unique=ada",
            "--attempt-timeout=30s",
            "--json");

    assertThat(enqueue.exit()).as(enqueue.err()).isZero();
    JobId id = JobId.parse(Json.read(enqueue.out()).get("id").stringValue());
    Job job = client.find(id).orElseThrow();
    assertThat(Json.read(String.valueOf(job.payload())).get("to").stringValue()).isEqualTo("ada");
    assertThat(job.task()).isEqualTo("mail::send");
    assertThat(job.queue()).isEqualTo("post");
    assertThat(job.priority()).isEqualTo(7);
    assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(job.tags()).containsExactlyInAnyOrder("a", "b");
    assertThat(Duration.between(job.createdAt(), job.runAt())).isEqualTo(Duration.ofHours(2));
    assertThat(holdfast("job", "enqueue", "mail::send", "--queue=post", "--unique=ada").out())
        .contains("job %s already has the unique key 'ada'.".formatted(id));
    client.cancel(id);
  }

  @Test
  void enqueuePrintsWhyTheJobWaits() {
    Cli enqueue = holdfast("job", "enqueue", "mail::send", "--queue", "unserved");

    assertThat(enqueue.out()).contains("is enqueued.", "No live node serves queue 'unserved'");
    client
        .list(JobFilter.all().queue("unserved"), Page.first(10))
        .forEach(job -> client.cancel(job.id()));
  }

  @Test
  void failedJobsAreRetriedAndDeletedByFilter() {
    JobId one = client.enqueue(SEND, new Letter("a"), job -> job.queue("f").tags("x")).id();
    JobId two = client.enqueue(SEND, new Letter("b"), job -> job.queue("f").tags("y")).id();
    runAndFail("f", one, two);

    Cli dry = holdfast("dlq", "purge", "--queue", "f");
    assertThat(dry.exit()).isEqualTo(1);
    assertThat(dry.out())
        .contains("2 dead-lettered jobs would be deleted. Nothing was deleted; add --yes");

    assertThat(holdfast("dlq", "retry", "--all", "--tag", "x").out())
        .contains("1 jobs are ready again");
    assertThat(client.find(one).orElseThrow().state()).isEqualTo(JobState.READY);
    assertThat(client.find(two).orElseThrow().state()).isEqualTo(JobState.FAILED);

    assertThat(holdfast("dlq", "purge", "--queue", "f", "--yes").out())
        .contains("1 dead-lettered jobs were deleted");
    assertThat(client.find(two)).isEmpty();
    assertThat(client.find(one)).isPresent();
    client.cancel(one);
  }

  @Test
  void aTriggerIsListedShownPausedResumedAndRemoved() {
    client
        .triggers()
        .put(
            Trigger.named("reindex")
                .on("page.updated")
                .where(Condition.field("kind").is("page"))
                .start(SEND)
                .subject("id")
                .debounce(Duration.ofSeconds(5))
                .build());

    assertThat(holdfast("trigger", "list").out())
        .containsPattern("reindex +no +page.updated +mail::send +mail +kind is page");
    JsonNode listed = Json.read(holdfast("trigger", "list", "--json").out()).get("triggers").get(0);
    assertThat(listed.get("conditions").get(0).get("is").stringValue()).isEqualTo("page");
    assertThat(holdfast("trigger", "show", "reindex").out())
        .containsPattern("event +page.updated")
        .containsPattern("if +kind is page")
        .containsPattern("debounce +5s");

    assertThat(holdfast("event", "publish", "page.updated", "{\"kind\": \"draft\"}").out())
        .containsPattern("reindex +NOT_MATCHED");
    JsonNode published =
        Json.read(
            holdfast(
                    "event", "publish", "page.updated", "{\"kind\": \"page\", \"id\": 7}", "--json")
                .out());
    JobId job = JobId.parse(published.get("outcomes").get(0).get("job").stringValue());
    assertThat(client.find(job)).isPresent();

    assertThat(holdfast("trigger", "pause", "reindex").out()).contains("is paused");
    assertThat(holdfast("trigger", "list").out()).containsPattern("reindex +yes");
    assertThat(holdfast("event", "publish", "page.updated").out())
        .contains("No active trigger listens to");
    assertThat(holdfast("trigger", "resume", "reindex").exit()).isZero();
    assertThat(client.triggers().find("reindex").orElseThrow().paused()).isFalse();

    Cli typo = holdfast("trigger", "show", "reindx");
    assertThat(typo.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(typo.err()).contains("Trigger 'reindx' does not exist", "Did you mean 'reindex'?");
    assertThat(holdfast("trigger", "delete", "reindex").exit()).isZero();
    assertThat(client.triggers().find("reindex")).isEmpty();
    client.cancel(job);
  }

  @Test
  void aLeaseIsListedAndReleased() {
    LeaseRequest request = new LeaseRequest("invoice:42", Duration.ofMinutes(5), false);
    store.leases().acquire(request, UUID.randomUUID(), "node-7");

    assertThat(holdfast("lease", "list").out())
        .containsPattern("invoice:42 +CLAIMED +node-7 +4m5\\ds");
    assertThat(
            Json.read(holdfast("lease", "list", "--json").out())
                .get("leases")
                .get(0)
                .get("key")
                .stringValue())
        .isEqualTo("invoice:42");
    assertThat(holdfast("lease", "release", "invoice:42").out())
        .contains("Lease 'invoice:42' of 'node-7' is released");

    LeaseInfo released = store.leases().find("invoice:42").orElseThrow();
    assertThat(released.state()).isEqualTo(LeaseState.FAILED);
    assertThat(released.detail()).isEqualTo("released by an operator");
    Cli again = holdfast("lease", "release", "invoice:42");
    assertThat(again.exit()).isEqualTo(ExitCode.CONFLICT.number());
    assertThat(again.err()).contains("Lease 'invoice:42' is not held; its state is FAILED.");
    assertThat(holdfast("lease", "release", "nothing").err()).contains("There is no lease");
  }

  @Test
  void aCompletedLeaseIsReopened() {
    LeaseRequest once = new LeaseRequest("migrate", Duration.ofMinutes(5), true);
    store.leases().acquire(once, UUID.randomUUID(), "node-7");
    LeaseInfo held = store.leases().find("migrate").orElseThrow();
    store.leases().end(new LeaseClaim("migrate", held.fencingToken()), new Ending.Done());

    assertThat(holdfast("lease", "reopen", "migrate").exit()).isZero();
    assertThat(store.leases().find("migrate").orElseThrow().remaining()).isZero();
    assertThat(holdfast("lease", "reopen", "migrate").exit()).isEqualTo(5);
  }

  private static void runAndFail(String queue, JobId... jobs) {
    try (HoldfastNode node =
        HoldfastNode.on(store)
            .queue(queue, 2)
            .handle(
                SEND,
                (letter, context) -> {
                  throw new IllegalStateException("No stamps left");
                })
            .start()) {
      for (JobId id : jobs) {
        await().until(() -> client.find(id).orElseThrow().state() == JobState.FAILED);
      }
    }
  }

  private static Cli holdfast(String... args) {
    return Cli.on(DATABASE, args);
  }
}
