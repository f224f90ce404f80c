package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a handler can read and do through its context. */
public abstract class ContextContract extends NodeTestBase {
  private static final TaskType<Note, Void> LOOK =
      TaskType.of("test::look", Note.class)
          .with(job ->
              job.retry(
                  RetryPolicy.DEFAULT.maxAttempts(2).backoff(Backoff.fixed(Duration.ofMillis(1)))));

  /** What one attempt read. */
  private record Seen(
      int attempt,
      int most,
      boolean last,
      Optional<Instant> deadline,
      Optional<String> key,
      boolean draining) {
    static Seen of(TaskContext context) {
      return new Seen(
          context.attempt(),
          context.maxAttempts(),
          context.isLastAttempt(),
          context.deadline(),
          context.uniqueKey(),
          context.isDraining());
    }
  }

  @Test
  void aHandlerKnowsWhetherThisIsItsLastAttempt() {
    List<Seen> seen = new CopyOnWriteArrayList<>();
    start(
        node()
            .handle(
                LOOK,
                (note, context) -> {
                  seen.add(Seen.of(context));
                  throw new IllegalStateException("again");
                }));

    JobId id = client().enqueue(LOOK, new Note("x")).id();
    awaitState(id, JobState.FAILED);

    assertThat(seen)
        .containsExactly(
            new Seen(1, 2, false, Optional.empty(), Optional.empty(), false),
            new Seen(2, 2, true, Optional.empty(), Optional.empty(), false));
  }

  @Test
  void aHandlerKnowsItsKeyAndWhenItTimesOut() throws Exception {
    CompletableFuture<Seen> seen = new CompletableFuture<>();
    start(node().handle(LOOK, (note, context) -> seen.complete(Seen.of(context))));
    Instant before = Instant.now();

    client()
        .enqueue(
            LOOK,
            new Note("x"),
            job ->
                job.timeout(Duration.ofHours(1))
                    .unique(UniqueKey.within("order:7", Duration.ofHours(1))));

    assertThat(seen.get().key()).contains("order:7");
    assertThat(seen.get().deadline().orElseThrow())
        .isBetween(before.plus(Duration.ofHours(1)), Instant.now().plus(Duration.ofHours(1)));
  }

  @Test
  void whatAHandlerReportsContainsNoSecretThatItHasRead() {
    start(
        node()
            .keepJobLog(5)
            .secrets(name -> Optional.of("value of " + name))
            .handle(
                LOOK,
                (note, context) -> {
                  String secret = context.secret("smtp");
                  context.log("Logged in with " + secret);
                  context.progress(1, 2, secret);
                  // Cut where it is stored: no part of the value may remain.
                  throw new IllegalStateException("x".repeat(1_995) + secret);
                })
            .handle(ECHO, (note, context) -> "It is " + context.secret("smtp")));

    JobId failing = client().enqueue(LOOK, new Note("x")).id();
    JobId telling = client().enqueue(ECHO, new Note("x")).id();
    awaitState(failing, JobState.FAILED);
    awaitState(telling, JobState.SUCCEEDED);

    Job failed = client().find(failing).orElseThrow();
    assertThat(failed.failures())
        .allSatisfy(attempt -> {
          assertThat(attempt.message()).startsWith("xxx").contains("***").doesNotContain("val");
          assertThat(attempt.stackTrace()).contains("***").doesNotContain("value of");
        });
    assertThat(failed.progress()).extracting(JobProgress::message).isEqualTo("***");
    assertThat(failed.log()).last().extracting(JobLogLine::text).isEqualTo("Logged in with ***");
    assertThat(client().find(telling).orElseThrow().result()).isEqualTo("\"It is ***\"");
  }

  @Test
  void aNodeWithoutSecretsSaysSo() {
    start(node().handle(LOOK, (note, context) -> context.log(context.secret("smtp"))));

    JobId id = client().enqueue(LOOK, new Note("x")).id();
    awaitState(id, JobState.FAILED);

    assertThat(client().find(id).orElseThrow().failures().getFirst().message())
        .isEqualTo(
            "Secret 'smtp' cannot be read, because this node has no secrets: configure it with"
                + " NodeBuilder.secrets(source), or run the task on a server.");
  }

  @Test
  void aJobThatAHandlerEnqueuesKnowsItsParent() throws InterruptedException {
    start(
        node()
            .handle(
                LOOK,
                (note, context) -> {
                  context.client().enqueue(ECHO, new Note("child of " + context.jobId()));
                  context.client().close(); // Closing the client of a context has no effect.
                  context.client().enqueueAll(ECHO, List.of(new Note("second")));
                })
            .handle(ECHO, (note, context) -> note.text()));

    Enqueued<Void> parent = client().enqueue(LOOK, new Note("x"));
    client().await(parent, SOON);

    List<Job> children = store().queries().list(JobFilter.all().task(ECHO.name()), null, 10);
    assertThat(children).hasSize(2).extracting(Job::parent).containsOnly(parent.id());
    assertThat(job(parent.id()).parent()).isNull();
    assertThat(client().enqueue(ECHO, new Note("other")).id())
        .satisfies(id -> assertThat(job(id).parent()).isNull());
  }

  @Test
  void progressIsVisibleWhileTheJobRunsAndAfterwards() throws InterruptedException {
    CountDownLatch finish = new CountDownLatch(1);
    start(
        node()
            .handle(
                LOOK,
                (note, context) -> {
                  context.progress(1, 3, "first");
                  finish.await();
                  context.progress(2, 3, "second");
                  context.progress(3, 3, "third");
                }));

    Enqueued<Void> id = client().enqueue(LOOK, new Note("x"));
    await().atMost(SOON).until(() -> job(id.id()).progress() != null);
    assertThat(job(id.id()).progress())
        .extracting(JobProgress::done, JobProgress::total, JobProgress::message)
        .containsExactly(1L, 3L, "first");
    assertThat(job(id.id()).log()).isEmpty();
    finish.countDown();
    client().await(id, SOON);

    assertThat(job(id.id()).progress()).extracting(JobProgress::message).isEqualTo("third");
  }

  @Test
  void theNextAttemptSeesTheProgressOfThePreviousOne() throws InterruptedException {
    List<Optional<Long>> before = new CopyOnWriteArrayList<>();
    start(
        node()
            .handle(
                LOOK,
                (note, context) -> {
                  before.add(context.progress().map(JobProgress::done));
                  if (context.attempt() == 1) {
                    context.progress(40, 100, "of page");
                    throw new IllegalStateException("again");
                  }
                }));

    client().await(client().enqueue(LOOK, new Note("x")), SOON);

    assertThat(before).containsExactly(Optional.empty(), Optional.of(40L));
  }

  @Test
  void progressOfANegativeAmountIsRejected() {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    start(
        node()
            .handle(
                LOOK,
                (note, context) -> {
                  try {
                    context.progress(-1, 3, "x");
                  } catch (IllegalArgumentException refused) {
                    thrown.complete(refused);
                  }
                }));
    client().enqueue(LOOK, new Note("x"));

    assertThat(thrown.join()).hasMessageContaining("-1 of 3");
  }

  @Test
  void logLinesAreStoredWithTheJobIfTheNodeKeepsThem() throws InterruptedException {
    start(
        node()
            .keepJobLog(3)
            .handle(
                LOOK,
                (note, context) -> {
                  for (int i = 1; i <= 2; i++) {
                    context.log("line %d.%d".formatted(context.attempt(), i));
                  }
                  if (!context.isLastAttempt()) {
                    throw new IllegalStateException("again");
                  }
                  context.log("x".repeat(600));
                }));

    Enqueued<Void> id = client().enqueue(LOOK, new Note("x"));
    client().await(id, SOON);

    assertThat(job(id.id()).log())
        .extracting(JobLogLine::text)
        .containsExactly("line 2.1", "line 2.2", "x".repeat(500));
    assertThat(job(id.id()).log()).extracting(JobLogLine::attempt).containsOnly(2);
  }

  @Test
  void logLinesAreNotStoredByDefault() throws InterruptedException {
    start(node().handle(LOOK, (note, context) -> context.log("hello")));

    Enqueued<Void> id = client().enqueue(LOOK, new Note("x"));
    client().await(id, SOON);

    assertThat(job(id.id()).log()).isEmpty();
    assertThatThrownBy(() -> node().keepJobLog(-1))
        .hasMessageContaining("-1")
        .hasMessageContaining("0 (none) to 1000");
  }

  @Test
  void aHandlerIsNotifiedWhenItsNodeDrains() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    AtomicInteger late = new AtomicInteger();
    HoldfastNode node =
        start(
            node()
                .shutdownGrace(SOON)
                .handle(
                    ECHO,
                    (note, context) -> {
                      context.onDrain(
                          late::incrementAndGet); // This attempt ends before the node drains.
                      return "done";
                    })
                .handle(
                    LOOK,
                    (note, context) -> {
                      CountDownLatch draining = new CountDownLatch(1);
                      context.onDrain(draining::countDown);
                      running.countDown();
                      draining.await();
                      assertThat(context.isDraining()).isTrue();
                      assertThat(context.isStopping()).isFalse();
                      CountDownLatch again = new CountDownLatch(1);
                      context.onDrain(again::countDown);
                      again.await(); // Returns at once, because the node is already draining.
                      ended.incrementAndGet();
                      throw new RetryLater(Duration.ZERO, "continue elsewhere");
                    }));
    client().await(client().enqueue(ECHO, new Note("x")), SOON);
    JobId id = client().enqueue(LOOK, new Note("x")).id();
    running.await();

    node.close();

    assertThat(ended).hasValue(1);
    assertThat(late).hasValue(0);
    assertThat(job(id).state()).isEqualTo(JobState.READY);
    assertThat(job(id).attempt()).isZero();
  }
}
