package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleEvent.BreakerClosed;
import dev.holdfast.api.event.LifecycleEvent.BreakerOpened;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.TaskStore.Attempts;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A circuit breaker stops the jobs of a task that fails too often until a trial job succeeds. */
public abstract class BreakerNodeContract extends NodeTestBase {
  private static final TaskType<Note, String> FLAKY =
      TaskType.of("test::flaky", Note.class, String.class)
          .with(options -> options.retry(RetryPolicy.NEVER));
  private static final CircuitBreaker LONG = CircuitBreaker.after(3).openFor(Duration.ofHours(1));
  private static final CircuitBreaker SHORT =
      CircuitBreaker.after(3).openFor(Duration.ofMillis(200));

  private final AtomicBoolean broken = new AtomicBoolean(true);
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final Semaphore passes = new Semaphore(0);
  private final List<LifecycleEvent> received = new CopyOnWriteArrayList<>();

  private String run() throws InterruptedException {
    attempts.incrementAndGet();
    if (broken.get()) {
      throw new IllegalStateException("the mail server is down");
    }
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      passes.acquire();
    } finally {
      running.decrementAndGet();
    }
    return "sent";
  }

  private NodeBuilder flakyNode(CircuitBreaker breaker) {
    return node()
        .breaker("test::fl*", breaker)
        .listener(received::add)
        .handle(FLAKY, (note, context) -> run())
        .handle(ECHO, (note, context) -> note.text());
  }

  private List<? extends Enqueued<?>> enqueue(int count) {
    return IntStream.range(0, count)
        .mapToObj(n -> client().enqueue(FLAKY, new Note("n" + n)))
        .toList();
  }

  private BreakerState state() {
    return client().tasks().list().stream()
        .filter(status -> status.task().equals(FLAKY.name()))
        .map(status -> status.breaker())
        .findAny()
        .orElse(BreakerState.CLOSED);
  }

  private void awaitBreaker(BreakerState wanted) {
    await().atMost(SOON).until(() -> state() == wanted);
  }

  /** Opens the breaker with three jobs that fail. */
  private void open() {
    enqueue(3).forEach(job -> awaitState(job.id(), JobState.FAILED));
    await().atMost(SOON).until(() -> state() != BreakerState.CLOSED);
  }

  @Test
  void whileTheBreakerIsOpenOnlyOtherTasksAreStarted() {
    start(flakyNode(LONG));
    start(flakyNode(LONG));
    open();

    JobId waiting = enqueue(1).get(0).id();
    for (int i = 0; i < 5; i++) {
      awaitState(client().enqueue(ECHO, new Note("x")).id(), JobState.SUCCEEDED);
    }

    assertThat(attempts).hasValue(3);
    assertThat(job(waiting)).returns(JobState.READY, Job::state).returns(0, Job::attempt);
    assertThat(client().whyWaiting(waiting)).containsInstanceOf(WaitReason.BreakerOpen.class);
  }

  /**
   * Returns a node with prefetch and one slot, which is occupied by a job that waits for a permit.
   */
  private HoldfastNode busyNode(CircuitBreaker breaker) {
    return start(
        node()
            .queue("default", 1, 5)
            .breaker(FLAKY.name(), breaker)
            .handle(FLAKY, (note, context) -> run())
            .handle(
                ECHO,
                (note, context) -> {
                  passes.acquire();
                  return note.text();
                }));
  }

  @Test
  void jobsPrefetchedBeforeTheBreakerOpenedAreGivenBack() {
    busyNode(LONG);
    JobId busy = client().enqueue(ECHO, new Note("x")).id();
    awaitState(busy, JobState.RUNNING);
    var waiting = enqueue(3);
    waiting.forEach(job -> awaitState(job.id(), JobState.CLAIMED));

    store()
        .tasks()
        .report(
            new Attempts(
                FLAKY.name(),
                CircuitBreaker.after(1).openFor(Duration.ofHours(1)),
                List.of(new ClaimId(waiting.get(0).id(), 99)),
                List.of()));

    waiting.forEach(job -> awaitState(job.id(), JobState.READY));
    passes.release();
    awaitState(busy, JobState.SUCCEEDED);
    assertThat(attempts).hasValue(0);
  }

  @Test
  void theTrialJobMayHaveToWaitForASlot() {
    HoldfastNode node = busyNode(SHORT);
    open();
    broken.set(false);
    JobId busy = client().enqueue(ECHO, new Note("x")).id();
    awaitState(busy, JobState.RUNNING);
    JobId probe = enqueue(1).get(0).id();
    awaitState(probe, JobState.CLAIMED);
    assertThat(state()).isEqualTo(BreakerState.HALF_OPEN);

    // Long enough for the node to learn that no other job may start, and to claim again.
    long received = heartbeatsOf(node);
    await().atMost(SOON).until(() -> heartbeatsOf(node) >= received + 15);
    passes.release(2);

    awaitState(busy, JobState.SUCCEEDED);
    assertThat(awaitState(probe, JobState.SUCCEEDED).fencingToken()).isEqualTo(1);
    awaitBreaker(BreakerState.CLOSED);
  }

  @Test
  void acrossSeveralNodesOneTrialJobRunsAndItsSuccessClosesTheBreaker() {
    for (int i = 0; i < 3; i++) {
      start(flakyNode(SHORT));
    }
    open();
    broken.set(false);
    var jobs = enqueue(10);

    await().atMost(SOON).until(() -> running.get() == 1);
    assertThat(state()).isEqualTo(BreakerState.HALF_OPEN);
    for (int i = 0; i < 5; i++) {
      awaitState(client().enqueue(ECHO, new Note("x")).id(), JobState.SUCCEEDED);
    }
    assertThat(most).hasValue(1);
    passes.release(100);

    jobs.forEach(job -> assertThat(awaitState(job.id(), JobState.SUCCEEDED).attempt()).isOne());
    awaitBreaker(BreakerState.CLOSED);
  }

  @Test
  void theFailureOfTheTrialJobOpensTheBreakerAgainAndOtherJobsUseNoAttempt() {
    start(flakyNode(SHORT));
    start(flakyNode(SHORT));
    open();
    var jobs = enqueue(10);

    await().atMost(SOON).until(() -> count("opened") >= 3);
    broken.set(false);
    passes.release(100);

    await()
        .atMost(SOON)
        .until(() -> jobs.stream().allMatch(job -> job(job.id()).state().hasEnded()));
    long failed = jobs.stream().filter(job -> job(job.id()).state() == JobState.FAILED).count();
    assertThat(failed).isGreaterThanOrEqualTo(2).isLessThan(10);
    assertThat(jobs).allSatisfy(job -> assertThat(job(job.id()).attempt()).isOne());
    // Each failure after the first three was a trial job.
    assertThat(count("opened")).isEqualTo(1 + failed);
    await().atMost(SOON).until(() -> count("closed") == 1);
  }

  private long count(String what) {
    var counter = meters.find("holdfast.breaker." + what).tag("task", FLAKY.name()).counter();
    return counter == null ? 0 : Math.round(counter.count());
  }

  @Test
  void listenersReceiveBreakerEvents() {
    start(flakyNode(SHORT).id("told"));
    open();
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(received)
                .contains(new BreakerOpened("told", FLAKY.name(), Duration.ofMillis(200))));
    broken.set(false);
    passes.release(100);
    enqueue(1);

    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(received).contains(new BreakerClosed("told", FLAKY.name())));
  }

  @Test
  void anOperatorCanCloseTheBreakerAndJobsRunAgain() {
    start(flakyNode(LONG));
    open();
    broken.set(false);
    passes.release(100);
    JobId waiting = enqueue(1).get(0).id();

    assertThat(client().tasks().closeBreaker(FLAKY.name())).isTrue();

    awaitState(waiting, JobState.SUCCEEDED);
  }

  @Test
  void aTriggerOnlyNodeEnqueuesJobsWhileTheBreakerIsOpen() {
    start(flakyNode(LONG));
    start(
        flakyNode(LONG)
            .mode(NodeMode.TRIGGER_ONLY)
            .trigger(Trigger.named("flaky").on("note.written").start(FLAKY).build()));
    open();

    JobId recorded = client().publish("note.written", new Note("later")).started().get(0);

    assertThat(job(recorded).state()).isEqualTo(JobState.READY);
    broken.set(false);
    passes.release(100);
    client().tasks().closeBreaker(FLAKY.name());
    awaitState(recorded, JobState.SUCCEEDED);
  }

  @Test
  void reportsThatTheStoreDidNotReceiveAreRepeated() {
    FaultyStore faulty = new FaultyStore(store());
    faulty.failNext(StoreMethod.REPORT).failNext(StoreMethod.REPORT);
    start(node(faulty).breaker(FLAKY.name(), LONG).handle(FLAKY, (note, context) -> run()));

    open();

    assertThat(faulty.allFaultsHappened()).isTrue();
  }
}
