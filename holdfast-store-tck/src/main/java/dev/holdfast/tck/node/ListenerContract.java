package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleEvent.Claimed;
import dev.holdfast.api.event.LifecycleEvent.DeadLettered;
import dev.holdfast.api.event.LifecycleEvent.Finished;
import dev.holdfast.api.event.LifecycleEvent.NodeFenced;
import dev.holdfast.api.event.LifecycleEvent.NodeJoined;
import dev.holdfast.api.event.LifecycleEvent.OfJob;
import dev.holdfast.api.event.LifecycleEvent.Recovered;
import dev.holdfast.api.event.LifecycleEvent.Retried;
import dev.holdfast.api.event.LifecycleEvent.Started;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.tck.fault.FaultyStore;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Which events listeners receive, and that a failing listener does not affect the node. */
public abstract class ListenerContract extends NodeTestBase {
  private final List<LifecycleEvent> received = new CopyOnWriteArrayList<>();

  private List<LifecycleEvent> eventsOf(JobId id) {
    return received.stream()
        .filter(event -> event instanceof OfJob of && of.job().equals(id))
        .toList();
  }

  private void awaitLast(JobId id, Class<? extends LifecycleEvent> type) {
    await().atMost(SOON).untilAsserted(() -> assertThat(eventsOf(id)).last().isInstanceOf(type));
  }

  @Test
  void listenersAreToldOfEveryStateOfAJob() {
    HoldfastNode node =
        start(
            node().id("told").listener(received::add).handle(ECHO, (note, context) -> note.text()));

    JobId id = client().enqueue(ECHO, new Note("x")).id();

    awaitLast(id, Finished.class);
    assertThat(received.get(0)).isEqualTo(new NodeJoined("told", node.incarnation()));
    assertThat(eventsOf(id))
        .containsExactly(
            new Claimed("told", id, ECHO.name(), "default", 1),
            new Started("told", id, ECHO.name(), "default", 1),
            new Finished("told", id, ECHO.name(), "default", JobState.SUCCEEDED));
  }

  @Test
  void aPrefetchedJobIsClaimedBeforeItIsStarted() {
    start(
        node()
            .queue("default", 1, 5)
            .listener(received::add)
            .handle(ECHO, (note, context) -> note.text()));

    for (int i = 0; i < 5; i++) {
      JobId id = client().enqueue(ECHO, new Note("x")).id();
      awaitLast(id, Finished.class);
      assertThat(eventsOf(id))
          .extracting(event -> (Object) event.getClass())
          .containsExactly(Claimed.class, Started.class, Finished.class);
    }
  }

  @Test
  void listenersAreToldOfRetriesAndDeadLettering() {
    start(
        node()
            .id("told")
            .listener(received::add)
            .handle(
                ECHO,
                (note, context) -> {
                  throw new TaskFailure("CARD_DECLINED", "no money");
                }));

    JobId id = client().enqueue(ECHO, new Note("x")).id();

    awaitLast(id, DeadLettered.class);
    assertThat(eventsOf(id)).filteredOn(Retried.class::isInstance).hasSize(2);
    assertThat(eventsOf(id))
        .last()
        .isEqualTo(
            new DeadLettered("told", id, ECHO.name(), "default", 3, "CARD_DECLINED", "no money"));
  }

  @Test
  void listenersAreToldOfAJobDeadLetteredByRecovery() {
    JobId id =
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.fail())).id();
    dieWithClaimedJobs(1, 0);
    UUID dead = store().nodes().holderOf(id).orElseThrow();
    start(quick().id("told").listener(received::add));

    awaitLast(id, DeadLettered.class);
    FailedAttempt crash = job(id).failures().get(0);
    assertThat(crash.code()).isEqualTo(FailureCode.WORKER_CRASHED);
    assertThat(eventsOf(id))
        .containsExactly(
            new Recovered("told", id, ECHO.name(), "default", dead),
            new DeadLettered("told", id, ECHO.name(), "default", 1, crash.code(), crash.message()));
    assertThat(meters.get("holdfast.jobs.failed").counter().count()).isEqualTo(1);
  }

  @Test
  void listenersAreToldOfAJobCancelledByRecovery() {
    JobId id = client().enqueue(ECHO, new Note("x")).id();
    dieWithClaimedJobs(1, 0);
    UUID dead = store().nodes().holderOf(id).orElseThrow();
    assertThat(client().cancel(id)).isEqualTo(CancelResult.REQUESTED);
    start(quick().id("told").listener(received::add));

    awaitLast(id, Finished.class);
    assertThat(eventsOf(id))
        .containsExactly(
            new Recovered("told", id, ECHO.name(), "default", dead),
            new Finished("told", id, ECHO.name(), "default", JobState.CANCELLED));
    assertThat(meters.get("holdfast.jobs.cancelled").counter().count()).isEqualTo(1);
  }

  @Test
  void awaitingAJobDeadLetteredByRecoveryEnds() {
    JobId id =
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.fail())).id();
    dieWithClaimedJobs(1, 0);
    List<Signal> signals = new CopyOnWriteArrayList<>();
    SignalBus bus = new SignalBus(store().coordinator());
    try {
      bus.subscribe(signals::add);
      start(quick());
      bus.publish(new Signal.ResultAwaited(id));

      awaitState(id, JobState.FAILED);
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(signals).contains(new Signal.JobEnded(id)));
    } finally {
      bus.close();
    }
  }

  @Test
  void listenersAreToldOfTheNextIncarnationOfAFencedNode() {
    HoldfastNode node = start(quick().id("told").listener(received::add));
    UUID before = node.incarnation();

    client().nodes().fence("told");

    awaitNextIncarnation(node, before);
  }

  @Test
  void listenersAreToldOfTheNextIncarnationOfANodeRecordedAsDead() {
    HoldfastNode node = start(quick().id("told").listener(received::add));
    UUID before = node.incarnation();

    store().nodes().leave(before);

    awaitNextIncarnation(node, before);
  }

  @Test
  void listenersAreToldOfTheNextIncarnationOfANodeThatWasCutOff() {
    FaultyStore cut = new FaultyStore(store());
    HoldfastNode node = start(node(cut).liveness(QUICK).id("told").listener(received::add));
    UUID before = node.incarnation();

    cut.cut();
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(received).contains(new NodeFenced("told", before)));
    assertThat(received).last().isEqualTo(new NodeFenced("told", before));
    cut.heal();

    awaitNextIncarnation(node, before);
  }

  private void awaitNextIncarnation(HoldfastNode node, UUID before) {
    await().atMost(SOON).until(() -> !node.incarnation().equals(before));
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(received)
                .containsExactly(
                    new NodeJoined("told", before),
                    new NodeFenced("told", before),
                    new NodeJoined("told", node.incarnation())));
  }

  @Test
  void aListenerThatThrowsAffectsNothingElse() {
    start(
        node()
            .listener(event -> {
              throw new IllegalStateException("listeners may do that");
            })
            .listener(received::add)
            .handle(ECHO, (note, context) -> note.text()));

    JobId id = client().enqueue(ECHO, new Note("x")).id();

    awaitState(id, JobState.SUCCEEDED);
    awaitLast(id, Finished.class);
  }

  @Test
  void aBlockedListenerKeepsNeitherJobsNorTheNodeFromEnding() {
    CountDownLatch stuck = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .listener(event -> awaitQuietly(stuck))
                .handle(ECHO, (note, context) -> note.text()));
    try {
      for (int i = 0; i < 20; i++) {
        awaitState(client().enqueue(ECHO, new Note("n" + i)).id(), JobState.SUCCEEDED);
      }
      long before = System.nanoTime();
      node.close();
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
    } finally {
      stuck.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
