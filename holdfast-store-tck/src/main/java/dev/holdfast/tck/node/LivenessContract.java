package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.tck.fault.FaultyStore;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Nodes that lose the database or are fenced; names and liveness settings of nodes. */
public abstract class LivenessContract extends NodeTestBase {
  /** Returns a node with the default settings. */
  private NodeBuilder withDefaults() {
    return HoldfastNode.on(store());
  }

  @Test
  void aNodeThatIsCutOffFencesItselfBeforeOthersTakeOver() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    HoldfastNode holder =
        start(
            node(cut)
                .liveness(QUICK)
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.fencingToken() > 1) {
                        return "after the cut, under token " + context.fencingToken();
                      }
                      try {
                        started.countDown();
                        new CountDownLatch(1).await();
                      } catch (InterruptedException stop) {
                        assertThat(context.isStopping()).isTrue();
                        interrupted.countDown();
                      }
                      return "void";
                    }));
    UUID before = holder.incarnation();
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    started.await(); // RUNNING in the store says only that the handler may have started.

    cut.cut();
    interrupted.await();
    // No other node has taken over yet: the node gave up before others may act.
    assertThat(job(job.id()).state()).isEqualTo(JobState.RUNNING);
    assertThat(holder.isReady()).isFalse();
    start(quick());
    awaitState(job.id(), JobState.READY);
    cut.heal();

    assertThat(client().await(job, SOON)).startsWith("after the cut");
    assertThat(holder.incarnation()).isNotEqualTo(before);
    assertThat(holder.isReady()).isTrue();
    assertThat(store().nodes().beat(before, 0)).isEmpty();
    assertThat(meters.get("holdfast.node.fenced").counter().count()).isEqualTo(1);
    await()
        .atMost(SOON)
        .until(() ->
            meters.get("holdfast.stale.writes.rejected").tag("queue", "default").counter().count()
                == 1);
  }

  @Test
  void aNodeThatReconnectsInTimeKeepsItsClaim() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch goOn = new CountDownLatch(1);
    HoldfastNode holder =
        start(
            node(cut)
                .handle(
                    ECHO,
                    (note, context) -> {
                      goOn.await();
                      return "token " + context.fencingToken();
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);
    UUID before = holder.incarnation();

    cut.cut();
    goOn.countDown();
    await().atMost(SOON).until(() -> holder.held() == 1);
    cut.heal();

    assertThat(client().await(job, SOON)).isEqualTo("token 1");
    assertThat(holder.incarnation()).isEqualTo(before);
  }

  @Test
  void aJobOfAFencedNodeUsesNoAttempt() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch started = new CountDownLatch(1);
    start(
        node(cut)
            .liveness(
                LivenessSettings.DEFAULT.with(settings ->
                    settings
                        .heartbeat(Duration.ofMillis(100))
                        .timeout(SILENCE)
                        .sweep(Duration.ofMillis(100))))
            .handle(
                ECHO,
                (note, context) -> {
                  if (context.fencingToken() == 1) {
                    started.countDown();
                    new CountDownLatch(1).await();
                  }
                  return "attempt " + context.attempt();
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    started.await();
    cut.cut();
    await().atMost(SOON).until(() -> meters.get("holdfast.node.fenced").counter().count() == 1);
    cut.heal();

    assertThat(client().await(job, SOON)).isEqualTo("attempt 1");
    assertThat(job(job.id()).failures()).isEmpty();
  }

  @Test
  void aNodeFencedByAnOperatorGivesUpItsJobsAndStartsOver() throws Exception {
    HoldfastNode node =
        start(
            quick()
                .id("worker-1")
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.fencingToken() == 1) {
                        new CountDownLatch(1).await();
                      }
                      return "token " + context.fencingToken();
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);
    UUID before = node.incarnation();

    assertThat(client().nodes().fence("nobody")).isZero();
    assertThat(client().nodes().fence("worker-1")).isEqualTo(1);

    assertThat(client().await(job, SOON)).isEqualTo("token 2");
    assertThat(node.incarnation()).isNotEqualTo(before);
    assertThat(job(job.id()).failures()).isEmpty();
  }

  @Test
  void anInterruptedHandlerHasTimeToEndBeforeOtherNodesRunItsJob() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch ending = new CountDownLatch(1);
    start(
        withDefaults()
            .id("worker-1")
            .handle(
                ECHO,
                (note, context) -> {
                  if (context.fencingToken() == 1) {
                    try {
                      new CountDownLatch(1).await();
                    } catch (InterruptedException told) {
                      interrupted.countDown();
                      ending.await();
                    }
                  }
                  return "token " + context.fencingToken();
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    client().nodes().fence("worker-1");
    interrupted.await();
    await()
        .during(Duration.ofMillis(300))
        .until(
            () -> job(job.id()).state() == JobState.RUNNING && job(job.id()).fencingToken() == 1);
    ending.countDown();

    assertThat(client().await(job, SOON)).isEqualTo("token 2");
  }

  @Test
  void aPrefetchedJobIsGivenBackWhenItIsRequeued() throws Exception {
    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> {
                  if (context.fencingToken() == 1) {
                    new CountDownLatch(1).await();
                  }
                  return "attempt %d, token %d"
                      .formatted(context.attempt(), context.fencingToken());
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    assertThat(client().requeue(job.id())).isEqualTo(RequeueResult.REQUESTED);

    assertThat(client().await(job, SOON)).isEqualTo("attempt 1, token 2");
  }

  @Test
  void aScheduledJobCanBeRunAtOnce() throws Exception {
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), options -> options.runIn(Duration.ofHours(1)));
    start(quick().handle(ECHO, (note, context) -> "now"));

    assertThat(client().requeue(job.id())).isEqualTo(RequeueResult.READY);

    assertThat(client().await(job, SOON)).isEqualTo("now");
    assertThat(client().requeue(job.id())).isEqualTo(RequeueResult.ENDED);
    assertThat(client().requeue(new JobId(UuidCreator.getTimeOrderedEpoch())))
        .isEqualTo(RequeueResult.NOT_FOUND);
  }

  @Test
  void heartbeatsAreKeptOnRequest() {
    HoldfastNode node =
        start(
            quick()
                .id("kept")
                .liveness(QUICK.with(settings -> settings.keepHeartbeats(Duration.ofDays(1)))));

    await().atMost(SOON).until(() -> store().nodes().pastBeats("kept", 10).size() >= 2);
    assertThat(client().nodes().heartbeats("kept", 1))
        .singleElement()
        .satisfies(beat -> {
          assertThat(beat.node()).isEqualTo("kept");
          assertThat(beat.incarnation()).isEqualTo(node.incarnation());
          assertThat(beat.pid()).isEqualTo(ProcessHandle.current().pid());
          assertThat(beat.host()).isEqualTo(NodeIdentity.hostName());
        });
    assertThat(store().nodes().pastBeats("kept", 1))
        .singleElement()
        .satisfies(beat ->
            assertThat(beat.roles()).containsExactlyInAnyOrder("worker", "scheduler", "sweeper"));
    assertThatThrownBy(() -> client().nodes().heartbeats("kept", 0))
        .hasMessageContaining("1 to 10000");
  }

  @Test
  void invalidSettingsAreRejectedWithTheRemedy() {
    assertThatThrownBy(() -> withDefaults().liveness(s -> s.timeout(Duration.ofSeconds(29))))
        .hasMessageContaining("29 s")
        .hasMessageContaining("at least 30 s");
    assertThatThrownBy(() -> withDefaults().liveness(s -> s.sweep(Duration.ofSeconds(60))))
        .hasMessageContaining("1 min")
        .hasMessageContaining("less than the timeout");
    assertThatThrownBy(() -> withDefaults().liveness(s -> s.heartbeat(Duration.ZERO)))
        .hasMessageContaining("0 s");
    assertThatThrownBy(() -> withDefaults().liveness(s -> s.claimedTimeout(Duration.ofSeconds(90))))
        .hasMessageContaining("1 min 30 s");
    assertThatThrownBy(() -> withDefaults().liveness(s -> s.claimedTimeout(Duration.ofSeconds(30))))
        .hasMessageContaining("30 s for claimed jobs")
        .hasMessageContaining("such as 15 s");
    assertThatThrownBy(() ->
            withDefaults().liveness(s -> s.recover(false, true).sweep(Duration.ofSeconds(60))))
        .hasMessageContaining("1 min for running jobs");
    assertThatThrownBy(() -> withDefaults().liveness(s -> s.keepHeartbeats(Duration.ofDays(-1))))
        .hasMessageContaining("retention of heartbeats of -1 day")
        .hasMessageContaining("zero or a positive");
    assertThatThrownBy(
            () -> withDefaults().liveness(s -> s.awaitRecoveryPolicy(Duration.ofMinutes(-1))))
        .hasMessageContaining("wait for recovery policies of -1 min")
        .hasMessageContaining("zero or a positive");
    assertThatThrownBy(() -> withDefaults().keep(Duration.ofDays(14), Duration.ZERO))
        .hasMessageContaining("Dead-lettered jobs cannot be kept for 0 s")
        .hasMessageContaining("at least 1 h");
    assertThatThrownBy(() -> withDefaults().keep(Duration.ofDays(-1), Duration.ofDays(90)))
        .hasMessageContaining("Ended jobs cannot be kept for -1 day");
    assertThatThrownBy(() -> withDefaults().resultLimit(0).start())
        .hasMessageContaining("result limit of 0")
        .hasMessageContaining("keepResult");
    assertThatThrownBy(() -> withDefaults().shutdownGrace(Duration.ofSeconds(-1)).start())
        .hasMessageContaining("-1 s");
    assertThatThrownBy(() -> node().id("x".repeat(65)).start())
        .hasMessageContaining("65")
        .hasMessageContaining("1 to 64");
    assertThatThrownBy(() -> node().identity(NodeIdentity.environment("HOLDFAST_NO_SUCH")).start())
        .hasMessageContaining("HOLDFAST_NO_SUCH");
    assertThat(store().nodes().list()).isEmpty();
  }

  @Test
  void aNodeHasTheNameOfItsIdentity() {
    HoldfastNode node = start(quick().identity(() -> "pod-7").name("Seventh"));

    assertThat(node.id()).isEqualTo("pod-7");
    assertThat(store().nodes().list())
        .singleElement()
        .satisfies(status -> {
          assertThat(status.registration().id()).isEqualTo("pod-7");
          assertThat(status.registration().name()).isEqualTo("Seventh");
        });
    assertThat(start(quick().id("static")).id()).isEqualTo("static");
    assertThat(start(quick()).id()).as("generated").isEqualTo(NodeIdentity.hostAndPid().id());
    assertThat(NodeIdentity.environment("PATH").id()).isEqualTo(System.getenv("PATH").strip());
    assertThat(NodeIdentity.hostAndPid().id())
        .endsWith("-" + ProcessHandle.current().pid())
        .hasSizeLessThanOrEqualTo(64);
  }

  @Test
  void aHandlerThatReturnsWhenItsJobIsRequeuedPutsItBackIntoTheQueue() throws Exception {
    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> {
                  while (context.fencingToken() == 1 && !Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                  }
                  return "attempt %d, token %d"
                      .formatted(context.attempt(), context.fencingToken());
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    assertThat(client().requeue(job.id())).isEqualTo(RequeueResult.REQUESTED);

    assertThat(client().await(job, SOON)).isEqualTo("attempt 1, token 2");
  }

  @Test
  void aNodeDoesNotRunAJobWhileItsThreadOfAnEarlierAttemptRuns() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    start(
        node(cut)
            .liveness(QUICK)
            .handle(
                ECHO,
                (note, context) -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  while (context.fencingToken() == 1 && released.getCount() > 0) {
                    try {
                      released.await();
                    } catch (InterruptedException ignored) {
                      // The handler does not respond to interruption.
                    }
                  }
                  running.decrementAndGet();
                  return "token " + context.fencingToken();
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    await().atMost(SOON).until(() -> running.get() == 1);

    cut.cut();
    await().atMost(SOON).until(() -> meters.get("holdfast.node.fenced").counter().count() == 1);
    cut.heal();
    // The next incarnation claims the job again, and postpones it as long as the old thread runs.
    await().atMost(SOON).until(() -> job(job.id()).fencingToken() >= 3);
    await().atMost(SOON).until(() -> job(job.id()).attempt() == 0);
    assertThat(running).hasValue(1);
    released.countDown();

    assertThat(client().await(job, SOON)).startsWith("token ").isNotEqualTo("token 1");
    assertThat(most).hasValue(1);
  }

  @Test
  void heartbeatsAreNotKeptByDefault() {
    HoldfastNode node = start(quick().id("not-kept"));

    await().atMost(SOON).until(() -> heartbeatsOf(node) >= 3);

    assertThat(store().nodes().pastBeats("not-kept", 10)).isEmpty();
  }
}
