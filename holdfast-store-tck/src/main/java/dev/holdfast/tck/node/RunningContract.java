package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** A misbehaving handler uses an attempt of its own job and affects nothing else. */
public abstract class RunningContract extends NodeTestBase {

  /** A payload whose text is read as a number by the handler. */
  public record Count(int number) {}

  @Test
  void aJobRunsAndItsResultIsStored() throws Exception {
    HoldfastNode node = start(node().handle(ECHO, (note, context) -> note.text() + "!"));

    Enqueued<String> job = node.client().enqueue(ECHO, new Note("hello"));

    assertThat(node.client().await(job, SOON)).isEqualTo("hello!");
    Job ended = job(job.id());
    assertThat(ended.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(ended.attempt()).isEqualTo(1);
    assertThat(ended.fencingToken()).isEqualTo(1);
    assertThat(ended.startedAt()).isNotNull();
    assertThat(ended.endedAt()).isNotNull();
  }

  @Test
  void everyLogLineOfAHandlerContainsNodeAndJob() throws Exception {
    HoldfastNode node =
        start(
            node()
                .id("logging")
                .name("Scribe")
                .handle(
                    ECHO,
                    (note, context) ->
                        "%s %s %s %s"
                            .formatted(
                                MDC.get(LogContext.NODE),
                                MDC.get(LogContext.NAME),
                                MDC.get(LogContext.JOB),
                                MDC.get(LogContext.TASK))));

    Enqueued<String> job = node.client().enqueue(ECHO, new Note("x"));

    assertThat(node.client().await(job, SOON))
        .isEqualTo("logging Scribe %s %s".formatted(job.id(), ECHO.name()));
  }

  @Test
  void aClientWithoutANodeCanAwaitAJob() throws Exception {
    start(node().handle(ECHO, (note, context) -> note.text()));

    assertThat(client().await(client().enqueue(ECHO, new Note("far")), SOON)).isEqualTo("far");
  }

  @Test
  void halfASurrogatePairInATextReachesTheHandlerUnchanged() throws Exception {
    HoldfastNode node = start(node().handle(ECHO, (note, context) -> note.text()));
    String cut = "\ude80 whole \ud83d\ude80 half \ud83d";

    assertThat(node.client().await(node.client().enqueue(ECHO, new Note(cut)), SOON))
        .isEqualTo(cut);
  }

  @Test
  void everyFailedAttemptIsStored() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    HoldfastNode node =
        start(
            node()
                .id("the-node")
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (tries.incrementAndGet() < 3) {
                        throw new IllegalStateException("not yet \0 \ud83d " + context.attempt());
                      }
                      return "at last";
                    }));

    Enqueued<String> job = node.client().enqueue(ECHO, new Note("x"));

    assertThat(node.client().await(job, SOON)).isEqualTo("at last");
    List<FailedAttempt> failures = job(job.id()).failures();
    assertThat(failures).extracting(FailedAttempt::attempt).containsExactly(1, 2);
    FailedAttempt first = failures.get(0);
    assertThat(first.code()).isEqualTo(FailureCode.TASK_FAILED);
    assertThat(first.type()).isEqualTo(IllegalStateException.class.getName());
    assertThat(first.message()).startsWith("not yet").endsWith("1");
    assertThat(first.stackTrace()).contains("IllegalStateException");
    assertThat(first.node()).isEqualTo("the-node");
    assertThat(first.startedAt()).isNotNull();
    assertThat(first.failedAt()).isAfterOrEqualTo(first.startedAt());
  }

  @Test
  void aJobThatKeepsFailingIsDeadLettered() throws Exception {
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      throw new TaskFailure("CARD_DECLINED", "no money");
                    }));

    Enqueued<String> job = node.client().enqueue(ECHO, new Note("x"));

    assertThatThrownBy(() -> node.client().await(job, SOON))
        .isInstanceOf(JobFailedException.class)
        .hasMessageContaining("CARD_DECLINED")
        .hasMessageContaining("no money");
    Job dead = job(job.id());
    assertThat(dead.state()).isEqualTo(JobState.FAILED);
    assertThat(dead.failures()).hasSize(3);
  }

  @Test
  void retryRulesByCodeAndTypeOverrideTheBackoff() throws Exception {
    TaskType<Note, Void> picky =
        TaskType.of("test::picky", Note.class)
            .with(options ->
                options.retry(
                    RetryPolicy.fixed(Duration.ofMillis(5))
                        .neverOn("HOPELESS")
                        .neverOn(UnsupportedOperationException.class)));
    HoldfastNode node =
        start(
            node()
                .handle(
                    picky,
                    (note, context) -> {
                      throw note.text().equals("code")
                          ? new TaskFailure("HOPELESS", "by code")
                          : new UnsupportedOperationException("by type");
                    }));

    var byCode = node.client().enqueue(picky, new Note("code"));
    var byType = node.client().enqueue(picky, new Note("type"));

    assertThat(awaitState(byCode.id(), JobState.FAILED).failures()).hasSize(1);
    assertThat(awaitState(byType.id(), JobState.FAILED).failures()).hasSize(1);
  }

  @Test
  void retryLaterUsesNoAttempt() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (calls.incrementAndGet() <= 5) {
                        throw new RetryLater(Duration.ofMillis(5), "busy");
                      }
                      return "attempt " + context.attempt();
                    }));

    Enqueued<String> job = node.client().enqueue(ECHO, new Note("x"));

    assertThat(node.client().await(job, SOON)).isEqualTo("attempt 1");
    assertThat(job(job.id()).failures()).isEmpty();
    assertThat(job(job.id()).fencingToken()).isEqualTo(6);
  }

  @Test
  void aPayloadThatNoNodeCanReadIsDeadLetteredByItsPolicyAndDoesNotAffectOtherJobs()
      throws Exception {
    TaskType<Note, Void> asText = TaskType.of("test::count", Note.class);
    TaskType<Count, Void> asNumber = TaskType.of("test::count", Count.class);
    AtomicInteger handled = new AtomicInteger();
    HoldfastNode node =
        start(
            node()
                .handle(
                    asNumber,
                    (count, context) -> {
                      handled.incrementAndGet();
                      return null;
                    }));

    List<JobRequest<?, ?>> requests = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      requests.add(JobRequest.of(asNumber, new Count(i)));
    }
    record Wrong(String number) {}
    TaskType<Wrong, Void> wrong = TaskType.of("test::count", Wrong.class);
    var bad =
        node.client()
            .enqueue(
                wrong,
                new Wrong("many"),
                options -> options.retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(3)));
    node.client().enqueueAll(requests);

    Job dead = awaitState(bad.id(), JobState.FAILED);
    assertThat(dead.failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.BAD_PAYLOAD, FailureCode.BAD_PAYLOAD, FailureCode.BAD_PAYLOAD);
    assertThat(dead.failures().get(0).message()).contains("Count");
    await().atMost(SOON).until(() -> handled.get() == 20);
    assertThat(asText.name()).isEqualTo(asNumber.name());
  }

  @Test
  void aHandlerThatThrowsAnErrorUsesAnAttemptOfItsJob() throws Exception {
    AtomicBoolean thrown = new AtomicBoolean();
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (note.text().equals("bad") && thrown.compareAndSet(false, true)) {
                        throw new StackOverflowError("deep");
                      }
                      return note.text();
                    }));

    var bad = node.client().enqueue(ECHO, new Note("bad"));
    var good = node.client().enqueue(ECHO, new Note("good"));

    assertThat(node.client().await(good, SOON)).isEqualTo("good");
    assertThat(node.client().await(bad, SOON)).isEqualTo("bad");
    assertThat(job(bad.id()).failures()).extracting(FailedAttempt::message).containsExactly("deep");
  }

  @Test
  void anExceptionThatCannotBeReadIsReported() throws Exception {
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.attempt() == 1) {
                        throw new IllegalStateException() {
                          @Override
                          public String getMessage() {
                            throw new NoClassDefFoundError("broken");
                          }
                        };
                      }
                      return "second try";
                    }));

    var job = node.client().enqueue(ECHO, new Note("x"));

    assertThat(node.client().await(job, SOON)).isEqualTo("second try");
    assertThat(job(job.id()).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.TASK_FAILED);
  }

  @Test
  void aHandlerThatInterruptsItselfDoesNotAffectOtherJobs() throws Exception {
    HoldfastNode node =
        start(
            node()
                .route("**", "platform")
                .platformThreads(1)
                .handle(
                    ECHO,
                    (note, context) -> {
                      boolean inherited = Thread.currentThread().isInterrupted();
                      Thread.currentThread().interrupt();
                      return inherited ? "interrupted by another" : "clean";
                    }));

    for (int i = 0; i < 5; i++) {
      assertThat(node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON))
          .isEqualTo("clean");
    }
  }

  @Test
  void aResultThatCannotBeWrittenIsDeadLetteredWithAReason() throws Exception {
    record Ring(String name, List<Object> items) {}
    TaskType<Note, Ring> ring = TaskType.of("test::ring", Note.class, Ring.class);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ring,
                    (note, context) -> {
                      List<Object> items = new ArrayList<>();
                      Ring loop = new Ring("loop", items);
                      items.add(loop);
                      return loop;
                    }));

    var job = node.client().enqueue(ring, new Note("x"));

    assertThat(awaitState(job.id(), JobState.FAILED).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.BAD_RESULT);
  }

  @Test
  void aResultOfTooManyBytesIsDeadLetteredWithTheRemedy() throws Exception {
    HoldfastNode node =
        start(node().resultLimit(100).handle(ECHO, (note, context) -> note.text().repeat(50)));

    assertThat(node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON)).hasSize(50);
    var large = node.client().enqueue(ECHO, new Note("\u20ac"));

    assertThat(awaitState(large.id(), JobState.FAILED).failures())
        .singleElement()
        .satisfies(failure -> {
          assertThat(failure.code()).isEqualTo(FailureCode.OUTPUT_TOO_LARGE);
          assertThat(failure.message()).contains("152 bytes, but at most 100 are allowed");
        });
  }

  @Test
  void aHandlerThatHangsIsInterruptedAtItsTimeout() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.attempt() == 1) {
                        never.await();
                      }
                      return "second try";
                    }));

    var job =
        node.client()
            .enqueue(ECHO, new Note("x"), options -> options.timeout(Duration.ofMillis(50)));

    assertThat(node.client().await(job, SOON)).isEqualTo("second try");
    assertThat(job(job.id()).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.TIMED_OUT);
  }

  @Test
  void aHandlerWithoutHeartbeatsIsInterruptedAtItsHeartbeatTimeout() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      context.heartbeat();
                      if (context.attempt() == 1) {
                        never.await();
                      }
                      return "second try";
                    }));

    var job =
        node.client()
            .enqueue(
                ECHO, new Note("x"), options -> options.heartbeatTimeout(Duration.ofMillis(200)));

    assertThat(node.client().await(job, SOON)).isEqualTo("second try");
    assertThat(job(job.id()).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.HEARTBEAT_TIMED_OUT);
  }

  @Test
  void aHandlerThatIgnoresInterruptionIsStoppedByItsHeartbeat() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      running.countDown();
                      while (true) {
                        context.heartbeat();
                        boolean unused = Thread.interrupted();
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                      }
                    }));
    var job = node.client().enqueue(ECHO, new Note("x"));
    assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();

    assertThat(client().cancel(job.id())).isEqualTo(CancelResult.REQUESTED);

    assertThat(awaitState(job.id(), JobState.CANCELLED).failures()).isEmpty();
  }

  @Test
  void unlimitedTimeoutsDelayNothing() throws Exception {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .shutdownGrace(forever)
                .keep(forever, forever)
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.attempt() == 1) {
                        throw new IllegalStateException("once");
                      }
                      if (note.text().equals("slow")) {
                        running.countDown();
                        goOn.await();
                      }
                      return note.text();
                    }));
    Consumer<JobOptions.Builder> patiently =
        options ->
            options
                .timeout(forever)
                .heartbeatTimeout(forever)
                .startWithin(forever)
                .keepResult(forever)
                .retry(
                    RetryPolicy.DEFAULT.backoff(
                        Backoff.exponential(Duration.ofMillis(1), 1, forever)));

    var quick = node.client().enqueue(ECHO, new Note("quick"), patiently);
    assertThat(node.client().await(quick, forever)).isEqualTo("quick");

    var slow = node.client().enqueue(ECHO, new Note("slow"), patiently);
    assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(node::close);
    goOn.countDown();
    closed.get(20, TimeUnit.SECONDS);
    assertThat(job(slow.id()).state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aRunningJobIsInterruptedWhenItIsCancelled() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      running.countDown();
                      try {
                        new CountDownLatch(1).await();
                      } catch (InterruptedException stop) {
                        interrupted.countDown();
                        throw stop;
                      }
                      return null;
                    }));
    var job = node.client().enqueue(ECHO, new Note("x"));
    assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();

    assertThat(client().cancel(job.id())).isEqualTo(CancelResult.REQUESTED);

    assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    Job cancelled = awaitState(job.id(), JobState.CANCELLED);
    assertThat(cancelled.failures()).isEmpty();
    assertThat(client().cancel(job.id())).isEqualTo(CancelResult.ALREADY_ENDED);
  }

  @Test
  void theTokenGrowsWithEveryAttemptAndIsVisibleToTheHandler() throws Exception {
    Map<Integer, Long> tokens = new ConcurrentHashMap<>();
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      tokens.put(context.attempt(), context.fencingToken());
                      if (context.attempt() < 3) {
                        throw new IllegalStateException("again");
                      }
                      return null;
                    }));

    node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON);

    assertThat(tokens).containsExactlyInAnyOrderEntriesOf(Map.of(1, 1L, 2, 2L, 3, 3L));
  }

  @Test
  void aHandlerThatReturnsAfterItsJobWasCancelledEndsCancelled() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      running.countDown();
                      while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                      }
                      return "half done";
                    }));
    var job = node.client().enqueue(ECHO, new Note("x"));
    running.await();

    assertThat(client().cancel(job.id())).isEqualTo(CancelResult.REQUESTED);

    assertThat(awaitState(job.id(), JobState.CANCELLED).result()).isNull();
  }

  @Test
  void aJobWhoseHandlerReturnedBeforeItWasCancelledSucceeds() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node(Interposed.on(
                    store(),
                    call -> {
                      if (call.is(StoreMethod.FINISH)) {
                        cancelled.await(); // Until the node has learnt of the cancel request.
                      }
                      return call.proceed();
                    }))
                .handle(ECHO, (note, context) -> "done"));
    var job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);
    await().atMost(SOON).until(() -> meters.find("holdfast.job.run").timer() != null);
    await().atMost(SOON).until(() -> meters.get("holdfast.job.run").timer().count() == 1);

    assertThat(client().cancel(job.id())).isEqualTo(CancelResult.REQUESTED);
    long beat = heartbeatsOf(node);
    await().atMost(SOON).until(() -> heartbeatsOf(node) >= beat + 2);
    cancelled.countDown();

    assertThat(awaitState(job.id(), JobState.SUCCEEDED).result()).isEqualTo("\"done\"");
  }
}
