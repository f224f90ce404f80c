package dev.holdfast.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.memory.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** A node on an in-memory store that runs jobs only in a drain. */
class TestNodeTest {
  record Note(String text) {}

  private static final TaskType<Note, String> NOTE =
      TaskType.of("test::note", Note.class, String.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMinutes(1)).maxAttempts(2)));

  private final List<String> seen = new ArrayList<>();
  private final List<TestNode> open = new ArrayList<>();
  private BiConsumer<Note, TaskContext> handler = (note, context) -> {};

  private TestNode start(Consumer<NodeBuilder> configure) {
    TestNode node =
        TestNode.inMemory(
            Instant.parse("2026-01-01T00:00:00Z"),
            builder -> {
              builder.handle(NOTE, this::handle);
              configure.accept(builder);
            });
    open.add(node);
    return node;
  }

  private TestNode start() {
    return start(builder -> {});
  }

  private String handle(Note note, TaskContext context) {
    seen.add(note.text());
    handler.accept(note, context);
    return note.text();
  }

  private static JobId enqueue(TestNode node, String text) {
    return node.client().enqueue(NOTE, new Note(text)).id();
  }

  private static JobState stateOf(TestNode node, JobId id) {
    return node.client().find(id).orElseThrow().state();
  }

  @AfterEach
  void close() {
    open.forEach(TestNode::close);
  }

  @Test
  void dueJobsRunInTheDrainAndNotBefore() {
    TestNode node = start();
    JobId one = enqueue(node, "one");
    JobId two = enqueue(node, "two");
    assertThat(seen).isEmpty();

    DrainResult result = node.drain();

    assertThat(seen).containsExactly("one", "two");
    assertThat(result).isEqualTo(new DrainResult(2, 0, 0, List.of()));
    assertThat(stateOf(node, one)).isEqualTo(JobState.SUCCEEDED);
    assertThat(stateOf(node, two)).isEqualTo(JobState.SUCCEEDED);
    assertThat(node.drain().attempts()).isZero();
  }

  @Test
  void jobsRunOnTheThreadThatDrains() {
    List<Thread> threads = new ArrayList<>();
    handler = (note, context) -> threads.add(Thread.currentThread());
    TestNode node = start();
    enqueue(node, "one");

    node.drain();

    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @Test
  void jobsEnqueuedByAHandlerRunInTheSameDrainByPriority() {
    TestNode node = start();
    handler =
        (note, context) -> {
          if (note.text().equals("first")) {
            node.client().enqueue(NOTE, new Note("urgent"), job -> job.priority(9));
          }
        };
    node.client().enqueue(NOTE, new Note("low"), job -> job.priority(0));
    node.client().enqueue(NOTE, new Note("first"), job -> job.priority(5));

    assertThat(node.drain().orThrow().succeeded()).isEqualTo(3);

    assertThat(seen).containsExactly("first", "urgent", "low");
  }

  @Test
  void jobsOfAClientThatSendsNoSignalsToTheNodeRunToo() {
    TestNode node = start(builder -> builder.queue("default", 1).queue("mail", 1));
    try (Holdfast other = HoldfastClient.on(node.store())) {
      handler =
          (note, context) -> {
            if (note.text().equals("first")) {
              other.enqueue(NOTE, new Note("by its handler"), job -> job.queue("mail"));
            }
          };
      other.enqueue(NOTE, new Note("first"));
      node.drain().orThrow();
      assertThat(seen).containsExactly("first", "by its handler");

      other.enqueue(NOTE, new Note("second"));
      node.drain().orThrow();
      assertThat(seen).endsWith("second");
    }
  }

  @Test
  void aScheduledJobRunsOnceItIsDue() {
    TestNode node = start();
    node.client().enqueue(NOTE, new Note("later"), job -> job.runIn(Duration.ofDays(3)));

    node.advance(Duration.ofDays(3).minusMillis(1));
    assertThat(node.drain().attempts()).isZero();
    node.advance(Duration.ofMillis(1));
    assertThat(node.drain().succeeded()).isEqualTo(1);

    assertThat(node.now()).isEqualTo("2026-01-04T00:00:00Z");
  }

  @Test
  void aFailedAttemptIsRetriedAfterExactlyItsBackoffAndDeadLetteredInTheEnd() {
    handler =
        (note, context) -> {
          throw new IllegalStateException("attempt " + context.attempt());
        };
    TestNode node = start();
    JobId job = enqueue(node, "one");

    DrainResult first = node.drain();
    assertThat(first.retried()).isEqualTo(1);
    assertThat(first.deadLettered()).isZero();
    node.advance(Duration.ofMinutes(1).minusMillis(1));
    assertThat(node.drain().attempts()).isZero();
    node.advance(Duration.ofMillis(1));
    DrainResult second = node.drain();

    assertThat(second.retried()).isZero();
    assertThat(second.deadLettered()).isEqualTo(1);
    assertThat(stateOf(node, job)).isEqualTo(JobState.FAILED);
    DrainResult.Failure failure = second.failures().getFirst();
    assertThat(failure.job()).isEqualTo(job);
    assertThat(failure.task()).isEqualTo("test::note");
    assertThat(failure.attempt()).isEqualTo(2);
    assertThat(failure.code()).isEqualTo("TASK_FAILED");
    assertThat(failure.message()).isEqualTo("attempt 2");
    assertThatThrownBy(second::orThrow)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 of 1 attempts failed")
        .hasMessageContaining("was dead-lettered")
        .hasMessageContaining("java.lang.IllegalStateException: attempt 2")
        .hasMessageContaining("TestNodeTest.java");
  }

  @Test
  void aPostponedJobCountsAsPostponedAndRunsLater() {
    handler =
        (note, context) -> {
          if (seen.size() == 1) {
            throw new RetryLater(Duration.ofMinutes(5), "not yet");
          }
        };
    TestNode node = start();
    enqueue(node, "one");

    assertThat(node.drain()).isEqualTo(new DrainResult(0, 1, 0, List.of()));
    node.advance(Duration.ofMinutes(5));
    assertThat(node.drain()).isEqualTo(new DrainResult(1, 0, 0, List.of()));
  }

  @Test
  void aJobThatIsCancelledWhileItRunsCountsAsCancelled() {
    TestNode node = start();
    handler =
        (note, context) -> {
          node.client().cancel(context.jobId());
          throw new IllegalStateException("too late");
        };
    JobId job = enqueue(node, "one");

    assertThat(node.drain()).isEqualTo(new DrainResult(0, 0, 1, List.of()));

    assertThat(stateOf(node, job)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aScheduleFiresAtEachDueTimeThatTheTestReaches() {
    TestNode node =
        start(builder ->
            builder.recurring(
                Schedule.named("hourly").runs(NOTE, new Note("hour")).cron("0 * * * *").build()));
    assertThat(node.drain().attempts()).isZero();

    for (int hour = 1; hour <= 3; hour++) {
      node.advance(Duration.ofHours(1));
      assertThat(node.drain().succeeded()).as("in hour %d", hour).isEqualTo(1);
    }
  }

  @Test
  void aBreakerLetsATrialJobStartWhenItsPauseIsOver() {
    handler =
        (note, context) -> {
          if (note.text().equals("fail")) {
            throw new IllegalStateException("down");
          }
        };
    TestNode node =
        start(builder ->
            builder.breaker("**", CircuitBreaker.after(1).openFor(Duration.ofMinutes(10))));
    enqueue(node, "fail");
    node.drain();
    enqueue(node, "fine");

    assertThat(node.drain().attempts()).isZero();
    node.advance(Duration.ofMinutes(10));
    assertThat(node.drain().succeeded()).isEqualTo(1);
  }

  @Test
  void aLeaseOfTheNodeIsRenewedByADrainAndExpiresOtherwise() {
    TestNode node = start();
    Lease lease = node.node().leases().acquire("key", Duration.ofMinutes(1)).orElseThrow();
    node.drain();
    node.advance(Duration.ofSeconds(40));
    node.drain();
    node.advance(Duration.ofSeconds(40));
    assertThat(lease.isHeld()).isTrue();

    node.advance(Duration.ofSeconds(40));
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void theNodeSurvivesAdvancingTheClockByYears() {
    TestNode node = start();
    node.advance(Duration.ofDays(3_650));
    enqueue(node, "one");

    assertThat(node.drain().succeeded()).isEqualTo(1);

    assertThat(node.client().nodes().list()).hasSize(1);
  }

  @Test
  void jobsOfAPausedQueueStay() {
    TestNode node = start();
    node.client().queues().pause("default");
    enqueue(node, "one");

    assertThat(node.drain().attempts()).isZero();
    node.client().queues().resume("default");
    assertThat(node.drain().succeeded()).isEqualTo(1);
  }

  @Test
  void routesToOtherExecutorsAreIgnored() {
    List<Thread> threads = new ArrayList<>();
    handler = (note, context) -> threads.add(Thread.currentThread());
    TestNode node =
        start(builder ->
            builder
                .executor(TaskExecutor.of("own", 1, Executors.newSingleThreadExecutor()))
                .routeOthers(TaskExecutor.PLATFORM)
                .route("test::*", "own"));
    enqueue(node, "one");

    node.drain().orThrow();

    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @Test
  void aTaskThatEnqueuesItselfRepeatedlyIsReported() {
    TestNode node = start();
    handler = (note, context) -> enqueue(node, "again");
    enqueue(node, "first");

    assertThatThrownBy(() -> node.drain(50))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has run 51 attempts")
        .hasMessageContaining("enqueues itself");

    assertThat(seen).hasSize(51);
    assertThat(node.node().held()).isZero();
    assertThat(node.client().count(JobFilter.all().state(JobState.READY)).byState())
        .containsEntry(JobState.READY, 1L);
  }

  @Test
  void aDrainRunsAttemptsUpToItsLimit() {
    TestNode node = start();
    enqueue(node, "one");
    enqueue(node, "two");

    assertThat(node.drain(2).succeeded()).isEqualTo(2);
  }

  @Test
  void aHandlerCannotDrain() {
    TestNode node = start();
    handler = (note, context) -> node.drain();
    enqueue(node, "one");

    assertThat(node.drain().failures().getFirst().message()).contains("must not call drain()");
  }

  @Test
  void aDrainDoesNotChangeTheLogContextOfTheTest() {
    TestNode node = start();
    MDC.clear();
    node.drain();
    assertThat(MDC.get("holdfast.node")).isNull();

    enqueue(node, "one");
    MDC.put("test", "mine");
    try {
      node.drain();

      assertThat(MDC.getCopyOfContextMap()).containsOnlyKeys("test");
    } finally {
      MDC.clear();
    }
  }

  @Test
  void aFailureOfTheStoreThatTheNodeWouldOnlyLogEndsTheDrain() {
    try (FailingStore store = new FailingStore();
        TestNode node = TestNode.on(store.store(), builder -> builder.handle(NOTE, this::handle))) {
      enqueue(node, "one");
      store.failClaims(true);
      assertThatThrownBy(node::drain).hasMessageContaining("no claims today");

      store.failClaims(false);
      assertThat(node.drain().orThrow().succeeded()).isEqualTo(1);
    }
  }

  @Test
  void theClockOfADatabaseCannotBeAdvanced() {
    try (FailingStore store = new FailingStore();
        TestNode node = TestNode.on(store.store(), builder -> {})) {
      assertThatThrownBy(() -> node.advance(Duration.ofHours(1)))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("1 h")
          .hasMessageContaining("use a node in memory")
          .hasMessageContaining("requeue");
    }
  }

  @Test
  void aScheduledJobOnADatabaseCanBeMadeDue() {
    try (FailingStore store = new FailingStore();
        TestNode node = TestNode.on(store.store(), builder -> builder.handle(NOTE, this::handle))) {
      JobId job =
          node.client().enqueue(NOTE, new Note("later"), on -> on.runIn(Duration.ofDays(1))).id();
      assertThat(node.drain().attempts()).isZero();

      node.client().requeue(job);

      assertThat(node.drain().orThrow().succeeded()).isEqualTo(1);
    }
  }

  @Test
  void anAttemptThatTakesLongerThanItsTimeoutIsInterruptedAndRetried() {
    TestNode node = start();
    List<Boolean> interrupted = new ArrayList<>();
    handler =
        (note, context) -> {
          if (context.attempt() == 1) {
            node.advance(Duration.ofSeconds(29));
            interrupted.add(Thread.currentThread().isInterrupted());
            node.advance(Duration.ofSeconds(1));
            interrupted.add(Thread.currentThread().isInterrupted());
            interrupted.add(context.isStopping());
          }
        };
    JobId id =
        node.client()
            .enqueue(NOTE, new Note("slow"), job -> job.timeout(Duration.ofSeconds(30)))
            .id();

    assertThat(node.drain().retried()).isEqualTo(1);

    assertThat(interrupted).containsExactly(false, true, true);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(node.client().find(id).orElseThrow().lastFailure().orElseThrow().code())
        .isEqualTo(FailureCode.TIMED_OUT);
    node.advance(Duration.ofMinutes(1));
    node.drain().orThrow();
    assertThat(stateOf(node, id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void anAttemptWithoutAHeartbeatForTooLongIsInterrupted() {
    TestNode node = start();
    handler =
        (note, context) -> {
          for (int i = 0; i < 3; i++) {
            node.advance(Duration.ofSeconds(9));
            context.heartbeat();
          }
          node.advance(Duration.ofSeconds(note.text().equals("silent") ? 10 : 9));
        };
    JobId silent =
        node.client()
            .enqueue(NOTE, new Note("silent"), job -> job.heartbeatTimeout(Duration.ofSeconds(10)))
            .id();
    JobId loud =
        node.client()
            .enqueue(NOTE, new Note("loud"), job -> job.heartbeatTimeout(Duration.ofSeconds(10)))
            .id();

    node.drain();

    assertThat(node.client().find(silent).orElseThrow().lastFailure().orElseThrow().code())
        .isEqualTo(FailureCode.HEARTBEAT_TIMED_OUT);
    assertThat(stateOf(node, loud)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void anAttemptThatGoesOnAfterItsTimeoutIsGivenUpAndItsResultIsIgnored() {
    TestNode node = start();
    handler =
        (note, context) -> {
          if (context.attempt() == 1) {
            node.advance(Duration.ofSeconds(30));
            node.advance(Duration.ofMinutes(1));
          }
        };
    JobId id =
        node.client()
            .enqueue(NOTE, new Note("deaf"), job -> job.timeout(Duration.ofSeconds(30)))
            .id();

    node.drain();
    assertThat(node.client().find(id).orElseThrow().failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.TIMED_OUT);

    node.advance(Duration.ofMinutes(2));
    node.drain();
    assertThat(seen).containsExactly("deaf", "deaf");
    assertThat(stateOf(node, id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void timeThatPassesBetweenDrainsIsNotThatOfAnAttempt() {
    TestNode node = start();
    JobId id =
        node.client().enqueue(NOTE, new Note("x"), job -> job.timeout(Duration.ofSeconds(30))).id();

    node.advance(Duration.ofHours(1));
    node.drain().orThrow();
    node.advance(Duration.ofHours(1));

    assertThat(stateOf(node, id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aKilledNodeWritesNothingAndAnotherOneRunsItsJob() throws Exception {
    ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    InMemoryStore store = new InMemoryStore(clock);
    List<String> log = new ArrayList<>();
    TaskType<String, String> task = TaskType.of("test::killed", String.class, String.class);
    AtomicReference<TestNode> first = new AtomicReference<>();
    List<Throwable> refused = new ArrayList<>();
    TaskHandler<String, String> handler =
        (payload, context) -> {
          log.add(context.node());
          if (context.node().equals("first")) {
            first.get().kill();
            refused.add(catchThrowable(() -> context.steps().run("late", () -> {})));
            refused.add(catchThrowable(() -> context.client().enqueue(task, "late")));
          }
          return "by " + context.node();
        };
    first.set(TestNode.inMemory(store, clock, on -> on.id("first").handle(task, handler)));
    Enqueued<String> job = first.get().client().enqueue(task, "x");

    assertThat(first.get().drain().attempts()).as("its outcome is lost").isZero();
    first.get().close();

    assertThat(first.get().isKilled()).isTrue();
    assertThatThrownBy(() -> first.get().drain()).hasMessageContaining("killed");
    try (TestNode second =
        TestNode.inMemory(store, clock, on -> on.id("second").handle(task, handler))) {
      assertThat(second.client().find(job.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
      assertThat(second.client().nodes().recover("first")).isEqualTo(1);
      second.node().sweepNow();
      assertThat(second.drain().orThrow().succeeded()).isEqualTo(1);
      assertThat(second.client().await(job, Duration.ZERO)).isEqualTo("by second");
    }
    assertThat(refused).hasSize(2).allMatch(thrown -> thrown instanceof StoreException);
    assertThat(log).containsExactly("first", "second");
  }
}
