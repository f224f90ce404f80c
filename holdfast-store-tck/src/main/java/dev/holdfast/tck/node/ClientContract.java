package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.AwaitTimeoutException;
import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.Page;
import dev.holdfast.api.job.Enqueued.Outcome;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Results of client calls, and requests that a client rejects before anything is written. */
public abstract class ClientContract extends NodeTestBase {

  private static final TaskType<Note, Void> FAILING =
      TaskType.of("test::failing", Note.class)
          .with(options -> options.retry(RetryPolicy.DEFAULT.maxAttempts(1)));

  private void assertNothingWritten() {
    assertThat(client().count(JobFilter.all()).byState()).isEmpty();
  }

  @Test
  void invalidInputIsRejectedWithTheValueAndTheRemedy() {
    assertThatThrownBy(() -> TaskType.of("Email Send", Note.class))
        .hasMessageContaining("'Email Send'")
        .hasMessageContaining("email::send");
    assertThatThrownBy(() -> client().enqueue(ECHO, new Note("x"), o -> o.priority(10)))
        .hasMessageContaining("10")
        .hasMessageContaining("0 (least urgent) to 9");
    assertThatThrownBy(() -> client().enqueue(ECHO, new Note("x"), o -> o.queue("Fast Lane")))
        .hasMessageContaining("'Fast Lane'");
    assertThatThrownBy(
            () -> client().enqueue(ECHO, new Note("x"), o -> o.runIn(Duration.ofSeconds(-1))))
        .hasMessageContaining("-1 s");
    assertThatThrownBy(() -> client().enqueue(ECHO, new Note("x"), o -> o.timeout(Duration.ZERO)))
        .hasMessageContaining("timeout")
        .hasMessageContaining("positive");
    assertThatThrownBy(() -> client().enqueue(ECHO, new Note("x"), o -> o.tags(" ")))
        .hasMessageContaining("Tag");
    assertThatThrownBy(() -> RetryPolicy.DEFAULT.maxAttempts(0)).hasMessageContaining("1 to 1000");
    assertThatThrownBy(() ->
            client()
                .enqueue(
                    ECHO,
                    new Note("x"),
                    o -> o.retry(RetryPolicy.DEFAULT.neverOn(RuntimeException.class))))
        .hasMessageContaining("RuntimeException")
        .hasMessageContaining("task type");
    assertThatThrownBy(() -> JobId.parse("42")).hasMessageContaining("'42'");
    assertThatThrownBy(() -> client().list(JobFilter.all(), Page.first(0)))
        .hasMessageContaining("1 to 1000");
    assertThatThrownBy(() -> client().queues().limit("default", 0)).hasMessageContaining("pause");
    assertThatThrownBy(() -> node().liveness(l -> l.timeout(Duration.ofMillis(1))).start())
        .hasMessageContaining("1 ms")
        .hasMessageContaining("at least");
    assertNothingWritten();
  }

  @Test
  void aPayloadOverTheLimitIsRejectedBeforeAnythingIsWritten() {
    try (HoldfastClient small =
        HoldfastClient.on(
            store(), new JsonCodec(), ClientSettings.DEFAULT.with(s -> s.payloadLimit(100)))) {
      List<JobRequest<?, ?>> requests =
          List.of(
              JobRequest.of(ECHO, new Note("ok")), JobRequest.of(ECHO, new Note("x".repeat(100))));

      assertThatThrownBy(() -> small.enqueueAll(requests))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("test::echo")
          .hasMessageContaining("100");
    }
    assertNothingWritten();
  }

  @Test
  void aPayloadIsMeasuredInBytes() {
    try (HoldfastClient small =
        HoldfastClient.on(
            store(), new JsonCodec(), ClientSettings.DEFAULT.with(s -> s.payloadLimit(100)))) {
      assertThat(small.enqueue(ECHO, new Note("x".repeat(80))).created()).isTrue();
      assertThatThrownBy(() -> small.enqueue(ECHO, new Note("\u20ac".repeat(80))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("251 bytes, but at most 100 are allowed");
    }
  }

  @Test
  void aStrictClientRejectsAQueueThatNoNodeServes() {
    try (HoldfastClient strict =
        HoldfastClient.on(
            store(), new JsonCodec(), ClientSettings.DEFAULT.with(s -> s.strictQueues(true)))) {
      assertThatThrownBy(() -> strict.enqueue(ECHO, new Note("x"), o -> o.queue("mial")))
          .hasMessageContaining("'mial'")
          .hasMessageContaining("start a node");
      assertNothingWritten();

      start(node().queue("mial", 1).handle(ECHO, (note, context) -> null));
      assertThat(strict.enqueue(ECHO, new Note("x"), o -> o.queue("mial")).created()).isTrue();
    }
  }

  @Test
  void aUniqueKeyReturnsTheExistingJob() {
    UniqueKey key = UniqueKey.whileActive("invoice-42");
    var first = client().enqueue(ECHO, new Note("1"), o -> o.unique(key));
    var second = client().enqueue(ECHO, new Note("2"), o -> o.unique(key));

    assertThat(first.created()).isTrue();
    assertThat(second.created()).isFalse();
    assertThat(second.id()).isEqualTo(first.id());
    assertThatThrownBy(() ->
            client().enqueue(ECHO, new Note("3"), o -> o.unique(key.onConflict(OnConflict.FAIL))))
        .isInstanceOf(DuplicateJobException.class)
        .hasMessageContaining("invoice-42")
        .hasMessageContaining(first.id().toString());
  }

  @Test
  void theResultOfAnEnqueueStatesItsOutcome() {
    UniqueKey key = UniqueKey.whileActive("invoice-42").onConflict(OnConflict.REPLACE);

    var first = client().enqueue(ECHO, new Note("1"), o -> o.unique(key));
    var second = client().enqueue(ECHO, new Note("2"), o -> o.unique(key));
    var third =
        client()
            .enqueue(
                ECHO, new Note("3"), o -> o.unique(key.onConflict(OnConflict.RETURN_EXISTING)));

    assertThat(List.of(first.outcome(), second.outcome(), third.outcome()))
        .containsExactly(Outcome.CREATED, Outcome.REPLACED, Outcome.EXISTING);
    assertThat(job(first.id()).payload()).contains("2");
  }

  @Test
  void aCustomIdMakesAnEnqueueRepeatable() {
    JobId own = new JobId(UUID.fromString("0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e"));
    JobRequest<Note, String> request = JobRequest.of(ECHO, new Note("x")).withId(own);

    assertThat(client().enqueue(request).created()).isTrue();
    assertThat(client().enqueue(request).created()).isFalse();
    assertThat(client().count(JobFilter.all()).byState()).isEqualTo(Map.of(JobState.READY, 1L));
  }

  @Test
  void awaitingAJobThatDoesNotEndReportsItsState() {
    var job = client().enqueue(ECHO, new Note("x"));

    assertThatThrownBy(() -> client().await(job, Duration.ofMillis(10)))
        .isInstanceOf(AwaitTimeoutException.class)
        .hasMessageContaining("READY")
        .hasMessageContaining("whyWaiting");
  }

  @Test
  void tenThousandJobsAreEnqueuedInOneCall() {
    List<JobRequest<Note, String>> requests =
        IntStream.range(0, 10_000).mapToObj(i -> JobRequest.of(ECHO, new Note("n" + i))).toList();

    assertThat(client().enqueueAll(requests)).hasSize(10_000).allMatch(job -> job.created());
    assertThat(client().count(JobFilter.all().queue(JobOptions.DEFAULT_QUEUE)).byState())
        .isEqualTo(Map.of(JobState.READY, 10_000L));
  }

  /** Returns a task whose attempts all fail permanently. */
  private void deadLetter(int jobs) {
    start(
        node()
            .maxConcurrent(50)
            .handle(
                FAILING,
                (note, context) -> {
                  throw new IllegalStateException("never works");
                }));
    client()
        .enqueueAll(
            IntStream.range(0, jobs)
                .mapToObj(i -> JobRequest.of(FAILING, new Note("n" + i)))
                .toList());
    awaitDeadLettered(jobs);
  }

  private void awaitDeadLettered(int jobs) {
    await()
        .atMost(SOON)
        .until(() ->
            client().count(JobFilter.all()).byState().equals(Map.of(JobState.FAILED, (long) jobs)));
  }

  @Test
  void retryingAllEndsAlthoughTheJobsFailAgainConcurrently() {
    int jobs = 1_001;
    deadLetter(jobs);
    AtomicInteger steps = new AtomicInteger();
    FaultyStore slow =
        new FaultyStore(store())
            .before(
                StoreMethod.RETRY_ALL,
                arguments -> assertThat(steps.incrementAndGet()).isLessThan(5))
            .after(StoreMethod.RETRY_ALL, () -> awaitDeadLettered(jobs));

    try (HoldfastClient other = HoldfastClient.on(slow)) {
      assertThat(other.retryAll(JobFilter.all())).isEqualTo(jobs);
    }

    assertThat(steps).hasValue(2);
    awaitDeadLettered(jobs);
    assertThat(client().list(JobFilter.all(), Page.first(1_000)))
        .allSatisfy(job -> assertThat(job.failures()).hasSize(2));
  }

  @Test
  void jobsAreListedPageByPageAndCountedAsTheFilterSays() {
    List<JobId> newestFirst = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      newestFirst.addFirst(
          client().enqueue(ECHO, new Note("n" + i), job -> job.queue("bulk").tags("eu")).id());
    }
    client().enqueue(ECHO, new Note("other"), job -> job.queue("bulk"));
    client().enqueue(ECHO, new Note("other"), job -> job.tags("eu"));
    JobFilter filter = JobFilter.all().queue("bulk").tag("eu").state(JobState.READY);

    List<Job> first = client().list(filter, Page.first(3));
    List<Job> second = client().list(filter, Page.after(first.getLast().id(), 3));

    assertThat(first).extracting(Job::id).containsExactlyElementsOf(newestFirst.subList(0, 3));
    assertThat(second).extracting(Job::id).containsExactlyElementsOf(newestFirst.subList(3, 5));
    assertThat(client().count(filter).byState()).isEqualTo(Map.of(JobState.READY, 5L));
    assertThat(client().count(filter.state(JobState.FAILED)).byState()).isEmpty();
  }

  @Test
  void onlyDeadLetteredJobsThatTheFilterMatchesAreRetriedAndPurged() {
    deadLetter(3);
    JobFilter all = JobFilter.all().state(JobState.FAILED);
    JobFilter none = JobFilter.all().tag("signup");

    assertThat(client().retryAll(none)).isZero();
    assertThat(client().purge(none)).isZero();

    assertThat(client().count(all).byState()).isEqualTo(Map.of(JobState.FAILED, 3L));
    assertThat(client().list(all, Page.first(10)))
        .allSatisfy(job -> assertThat(job.failures()).hasSize(1));
  }

  @Test
  void purgingDeletesDeadLetteredJobs() {
    deadLetter(3);
    var kept = client().enqueue(ECHO, new Note("x"));

    assertThat(client().purge(JobFilter.all().task(ECHO.name()))).isZero();
    assertThat(client().purge(JobFilter.all())).isEqualTo(3);

    assertThat(client().count(JobFilter.all().state(JobState.FAILED)).byState()).isEmpty();
    assertThat(client().retryAll(JobFilter.all())).isZero();
    assertThat(client().find(kept.id())).isPresent();
  }
}
