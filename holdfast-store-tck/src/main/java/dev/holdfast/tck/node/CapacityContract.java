package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.TaskStore.Rule;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.tck.contract.Worker;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How many jobs run on which node, and in which order. */
public abstract class CapacityContract extends NodeTestBase {

  /** Counts how many handlers run at once, and releases them one by one. */
  private static final class Gate {
    final AtomicInteger running = new AtomicInteger();
    final AtomicInteger most = new AtomicInteger();
    final AtomicInteger done = new AtomicInteger();
    final Semaphore passes = new Semaphore(0);

    String pass() throws InterruptedException {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      try {
        passes.acquire();
      } finally {
        running.decrementAndGet();
      }
      done.incrementAndGet();
      return "passed";
    }
  }

  private List<Enqueued<?>> enqueue(TaskType<Note, ?> type, int count) {
    List<JobRequest<Note, ?>> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(JobRequest.of(type, new Note("n" + i)));
    }
    return client().enqueueAll(requests);
  }

  @Test
  void noMoreJobsRunAtOnceThanTheConcurrencyOfTheirQueue() {
    Gate gate = new Gate();
    start(node().queue("default", 3).handle(ECHO, (note, context) -> gate.pass()));

    enqueue(ECHO, 20);

    await().atMost(SOON).until(() -> gate.running.get() == 3);
    gate.passes.release(20);
    await().atMost(SOON).until(() -> gate.done.get() == 20);
    assertThat(gate.most).hasValue(3);
  }

  @Test
  void theConcurrencyOfTheNodeLimitsAllItsQueues() {
    Gate gate = new Gate();
    TaskType<Note, String> other =
        TaskType.of("test::other", Note.class, String.class).with(o -> o.queue("second"));
    start(
        node()
            .maxConcurrent(4)
            .queue("default", 10)
            .queue("second", 10)
            .handle(ECHO, (note, context) -> gate.pass())
            .handle(other, (note, context) -> gate.pass()));

    enqueue(ECHO, 10);
    enqueue(other, 10);

    await().atMost(SOON).until(() -> gate.running.get() == 4);
    gate.passes.release(20);
    await().atMost(SOON).until(() -> gate.done.get() == 20);
    assertThat(gate.most).hasValue(4);
  }

  @Test
  void aClusterWideLimitAppliesAcrossNodes() {
    Gate gate = new Gate();
    client().queues().limit("default", 2);
    start(node().handle(ECHO, (note, context) -> gate.pass()));
    start(node().handle(ECHO, (note, context) -> gate.pass()));

    enqueue(ECHO, 12);

    await().atMost(SOON).until(() -> gate.running.get() == 2);
    gate.passes.release(12);
    await().atMost(SOON).until(() -> gate.done.get() == 12);
    assertThat(gate.most).hasValue(2);
  }

  @Test
  void noMoreJobsOfATaskRunOnANodeThanItsLimitAllows() throws Exception {
    Gate gate = new Gate();
    TaskType<Note, String> other = TaskType.of("other::task", Note.class, String.class);
    HoldfastNode node =
        start(
            node()
                .limit("test::*", 2)
                .handle(ECHO, (note, context) -> gate.pass())
                .handle(other, (note, context) -> "free"));

    enqueue(ECHO, 10);

    await().atMost(SOON).until(() -> gate.running.get() == 2);
    assertThat(node.client().await(client().enqueue(other, new Note("x")), SOON)).isEqualTo("free");
    gate.passes.release(10);
    await().atMost(SOON).until(() -> gate.done.get() == 10);
    assertThat(gate.most).hasValue(2);
  }

  @Test
  void theClusterWideLimitOfATaskAppliesAcrossNodesAndToRecoveredJobs() {
    Gate gate = new Gate();
    TaskType<Note, String> other = TaskType.of("other::task", Note.class, String.class);
    client().tasks().limit(ECHO.name(), 2);
    enqueue(ECHO, 12);
    Worker gone = Worker.join(store(), "gone", "default", ECHO.name());
    assertThat(gone.claimAlone(ECHO.name(), 0, 5, new Rule(2, null))).hasSize(2);
    gone.leave();
    for (int i = 0; i < 2; i++) {
      start(
          node()
              .liveness(PATIENT.with(liveness -> liveness.sweep(Duration.ofMillis(100))))
              .handle(ECHO, (note, context) -> gate.pass())
              .handle(other, (note, context) -> "free"));
    }

    await().atMost(SOON).until(() -> gate.running.get() == 2);
    var free = enqueue(other, 3);
    free.forEach(job -> awaitState(job.id(), JobState.SUCCEEDED));
    gate.passes.release(12);
    await().atMost(SOON).until(() -> gate.done.get() == 12);
    assertThat(gate.most).hasValue(2);
  }

  @Test
  void nodesLearnOfTheLimitOfATaskAndOfItsRemoval() {
    Gate gate = new Gate();
    start(node().handle(ECHO, (note, context) -> gate.pass()));
    client().tasks().limit(ECHO.name(), 1);
    var jobs = enqueue(ECHO, 5);

    await().atMost(SOON).until(() -> gate.running.get() == 1);
    assertThat(client().whyWaiting(jobs.get(4).id()))
        .contains(new WaitReason.TaskFull(ECHO.name(), 1));
    client().tasks().unlimit(ECHO.name());

    await().atMost(SOON).until(() -> gate.running.get() == 5);
    gate.passes.release(5);
  }

  @Test
  void aTaskLimitBelowOneIsRejectedWithTheRemedy() {
    assertThatThrownBy(() -> node().limit("ml::*", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'ml::*'")
        .hasMessageContaining("at least 1");
    assertThatThrownBy(() -> client().tasks().limit("ml::train", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'ml::train'");
  }

  @Test
  void aPausedQueueStartsNothingUntilItIsResumed() {
    Gate gate = new Gate();
    gate.passes.release(100);
    start(node().handle(ECHO, (note, context) -> gate.pass()));
    client().queues().pause("default");

    var job = enqueue(ECHO, 1).get(0);

    assertThat(client().whyWaiting(job.id())).containsInstanceOf(WaitReason.QueuePaused.class);
    assertThat(gate.done).hasValue(0);
    client().queues().resume("default");
    awaitState(job.id(), JobState.SUCCEEDED);
  }

  @Test
  void prefetchedJobsAreClaimedAndNotRunning() {
    Gate gate = new Gate();
    HoldfastNode node =
        start(node().queue("default", 1, 3).handle(ECHO, (note, context) -> gate.pass()));

    enqueue(ECHO, 6);

    await()
        .atMost(SOON)
        .until(() ->
            client()
                .count(JobFilter.all())
                .byState()
                .equals(Map.of(JobState.RUNNING, 1L, JobState.CLAIMED, 3L, JobState.READY, 2L)));
    await().atMost(SOON).until(() -> gate.most.get() == 1);
    gate.passes.release(6);
    await().atMost(SOON).until(() -> gate.done.get() == 6);
    await().atMost(SOON).until(() -> node.held() == 0);
    assertThat(gate.most).hasValue(1);
  }

  @Test
  void prefetchedJobsAreGivenBackWhenTheirQueueIsPausedOrTheirNodeRunsNothing() {
    Gate gate = new Gate();
    HoldfastNode node =
        start(node().queue("default", 1, 3).handle(ECHO, (note, context) -> gate.pass()));
    Map<JobState, Long> prefetched = Map.of(JobState.RUNNING, 1L, JobState.CLAIMED, 3L);
    Map<JobState, Long> handedBack = Map.of(JobState.RUNNING, 1L, JobState.READY, 3L);
    enqueue(ECHO, 4);
    await().atMost(SOON).until(() -> client().count(JobFilter.all()).byState().equals(prefetched));

    node.mode(NodeMode.TRIGGER_ONLY);
    await().atMost(SOON).until(() -> client().count(JobFilter.all()).byState().equals(handedBack));

    node.mode(NodeMode.FULL);
    await().atMost(SOON).until(() -> client().count(JobFilter.all()).byState().equals(prefetched));

    client().queues().pause("default");
    await().atMost(SOON).until(() -> client().count(JobFilter.all()).byState().equals(handedBack));
    gate.passes.release(4);
  }

  @Test
  void aJobKnownNotToHaveStartedUsesNoAttempt() {
    Gate gate = new Gate();
    HoldfastNode node =
        start(
            node()
                .shutdownGrace(Duration.ZERO)
                .queue("default", 1, 5)
                .handle(ECHO, (note, context) -> gate.pass()));
    var jobs = enqueue(ECHO, 4);
    await()
        .atMost(SOON)
        .until(() ->
            client()
                .count(JobFilter.all().state(JobState.CLAIMED))
                .byState()
                .equals(Map.of(JobState.CLAIMED, 3L)));

    node.close();

    for (var job : jobs) {
      assertThat(job(job.id()).state()).isEqualTo(JobState.READY);
      assertThat(job(job.id()).attempt()).isZero();
      assertThat(job(job.id()).failures()).isEmpty();
    }
  }

  @Test
  void routesDecideWhichExecutorRunsATask() throws Exception {
    TaskType<Note, String> heavy = TaskType.of("ml::train", Note.class, String.class);
    TaskType<Note, String> own = TaskType.of("io::special_gpu", Note.class, String.class);
    HoldfastNode node =
        start(
            node()
                .route("ml::*", TaskExecutor.PLATFORM)
                .route("**::*_gpu", "mine")
                .executor(
                    TaskExecutor.of(
                        "mine",
                        2,
                        Executors.newFixedThreadPool(
                            2, Thread.ofPlatform().daemon().name("mine-", 0).factory())))
                .handle(ECHO, (note, context) -> kindOfThread())
                .handle(heavy, (note, context) -> kindOfThread())
                .handle(own, (note, context) -> kindOfThread()));

    assertThat(node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON))
        .isEqualTo("virtual");
    assertThat(node.client().await(node.client().enqueue(heavy, new Note("x")), SOON))
        .startsWith("holdfast-cpu-");
    assertThat(node.client().await(node.client().enqueue(own, new Note("x")), SOON))
        .startsWith("mine-");
  }

  @Test
  void eachNodeHasItsOwnRoutesAndExecutors() throws Exception {
    TaskType<Note, String> heavy = TaskType.of("ml::train", Note.class, String.class);
    HoldfastNode trainer =
        start(
            node()
                .id("trainer")
                .queue("trainer", 2)
                .route("ml::*", "mine")
                .executor(
                    TaskExecutor.of(
                        "mine",
                        2,
                        Executors.newFixedThreadPool(
                            2, Thread.ofPlatform().daemon().name("mine-", 0).factory())))
                .handle(heavy, (note, context) -> kindOfThread()));
    HoldfastNode web =
        start(
            node()
                .id("web")
                .queue("web", 2)
                .routeOthers(TaskExecutor.PLATFORM)
                .handle(ECHO, (note, context) -> kindOfThread())
                .handle(heavy, (note, context) -> kindOfThread()));

    assertThat(client().await(client().enqueue(heavy, new Note("x"), in("trainer")), SOON))
        .startsWith("mine-");
    assertThat(client().await(client().enqueue(heavy, new Note("x"), in("web")), SOON))
        .startsWith("holdfast-cpu-");
    assertThat(client().await(client().enqueue(ECHO, new Note("x"), in("web")), SOON))
        .startsWith("holdfast-cpu-");
    Enqueued<String> unserved = client().enqueue(ECHO, new Note("x"), in("trainer"));
    assertThat(job(unserved.id()).state()).isEqualTo(JobState.READY);
    assertThat(List.of(trainer, web)).allMatch(HoldfastNode::isReady);
  }

  private static Consumer<JobOptions.Builder> in(String queue) {
    return job -> job.queue(queue);
  }

  private static String kindOfThread() {
    return Thread.currentThread().isVirtual() ? "virtual" : Thread.currentThread().getName();
  }

  @Test
  void aRouteToAnUnknownExecutorFailsTheStartWithTheRemedy() {
    assertThatThrownBy(() -> node().route("ml::*", "gpu").start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'gpu'")
        .hasMessageContaining("executor(...)");
  }

  @Test
  void aNodeClaimsOnlyTasksThatItKnowsAndTheRestStayReady() throws Exception {
    TaskType<Note, String> foreign = TaskType.of("other::thing", Note.class, String.class);
    HoldfastNode node = start(node().handle(ECHO, (note, context) -> "mine"));

    var theirs = client().enqueue(foreign, new Note("x"));
    assertThat(node.client().await(client().enqueue(ECHO, new Note("x")), SOON)).isEqualTo("mine");

    assertThat(job(theirs.id()).state()).isEqualTo(JobState.READY);
    assertThat(client().whyWaiting(theirs.id()))
        .hasValueSatisfying(reason -> {
          assertThat(reason).isInstanceOf(WaitReason.TaskNotServed.class);
          assertThat(reason.describe()).contains("other::thing").contains("default");
        });
    assertThat(store().queries().unknownTasks()).containsEntry("other::thing", 1L);

    HoldfastNode second = start(node().handle(foreign, (note, context) -> "theirs"));
    assertThat(second.client().await(theirs.id(), String.class, SOON)).isEqualTo("theirs");
  }

  @Test
  void severalNodesShareTheJobsAndRunEachOnce() {
    Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
    Set<String> nodes = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < 3; i++) {
      start(
          node()
              .id("node-" + i)
              .queue("default", 5)
              .handle(
                  ECHO,
                  (note, context) -> {
                    nodes.add(context.node());
                    runs.computeIfAbsent(note.text(), text -> new AtomicInteger())
                        .incrementAndGet();
                    return null;
                  }));
    }

    enqueue(ECHO, 1_000);

    await()
        .atMost(SOON)
        .until(() ->
            client()
                .count(JobFilter.all().state(JobState.SUCCEEDED))
                .byState()
                .equals(Map.of(JobState.SUCCEEDED, 1_000L)));
    assertThat(runs).hasSize(1_000);
    assertThat(runs.values()).allSatisfy(count -> assertThat(count).hasValue(1));
    assertThat(nodes).hasSizeGreaterThan(1);
  }

  @Test
  void aScheduledJobRunsWhenDueAndOneNotStartedInTimeExpires() throws Exception {
    HoldfastNode node = start(node().handle(ECHO, (note, context) -> note.text()));
    TaskType<Note, String> unserved = TaskType.of("test::unserved", Note.class, String.class);

    var later = client().enqueue(ECHO, new Note("later"), o -> o.runIn(Duration.ofMillis(150)));
    var never =
        client().enqueue(unserved, new Note("never"), o -> o.startWithin(Duration.ofMillis(100)));

    assertThat(job(later.id()).state()).isEqualTo(JobState.SCHEDULED);
    assertThat(node.client().await(later, SOON)).isEqualTo("later");
    assertThat(job(later.id()).startedAt()).isAfterOrEqualTo(job(later.id()).runAt());
    awaitState(never.id(), JobState.EXPIRED);
  }

  @Test
  void endedJobsAreKeptForTwoWeeksAndDeadLetteredOnesForThreeMonthsByDefault() {
    List<Retention> seen = new CopyOnWriteArrayList<>();
    FaultyStore store =
        new FaultyStore(store())
            .before(StoreMethod.TIDY, arguments -> seen.add((Retention) arguments.getFirst()));

    start(node(store).id("default").handle(ECHO, (note, context) -> ""));
    await().atMost(SOON).until(() -> !seen.isEmpty());
    start(
        node(store)
            .id("own")
            .keep(Duration.ofDays(3), Duration.ofDays(5))
            .handle(ECHO, (note, context) -> ""));
    await().atMost(SOON).until(() -> seen.size() >= 2);

    assertThat(seen)
        .containsOnly(
            new Retention(Duration.ofDays(14), Duration.ofDays(90)),
            new Retention(Duration.ofDays(3), Duration.ofDays(5)));
  }
}
