package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A node in single-node mode, which is the only node on its database. */
public abstract class SingleNodeContract extends NodeTestBase {
  /** Short enough that a test can wait for the lease to expire. */
  private static final LivenessSettings QUICK =
      LivenessSettings.DEFAULT.with(settings ->
          settings
              .heartbeat(Duration.ofMillis(100))
              .timeout(Duration.ofSeconds(1))
              .sweep(Duration.ofMillis(100)));

  private NodeBuilder alone(String id) {
    return node().id(id).liveness(settings -> settings.singleNode());
  }

  @Test
  void aSecondNodeIsRejectedWithAClearError() throws Exception {
    HoldfastNode first = start(alone("first").handle(ECHO, (note, context) -> "by the first"));

    assertThatThrownBy(() -> alone("second").start())
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("first")
        .hasMessageContaining("second")
        .hasMessageContaining("singleNode");
    assertThatThrownBy(() -> node().id("third").start())
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("first");
    assertThat(client().await(first.client().enqueue(ECHO, new Note("x")), SOON))
        .isEqualTo("by the first");
  }

  @Test
  void aSingleNodeIsRejectedWhileOtherNodesAreAlive() {
    start(node().id("one-of-many"));

    assertThatThrownBy(() -> alone("loner").start())
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("one-of-many");
    start(node().id("another-one"));
  }

  @Test
  void afterASingleNodeHasStoppedAnotherMayStart() {
    alone("first").start().close();

    start(alone("second"));
    assertThat(store().leases().find("holdfast:single-node").orElseThrow().holder())
        .isEqualTo("second");
  }

  @Test
  void aSingleNodeLearnsOfCancelRequestsWithoutHeartbeats() {
    CountDownLatch started = new CountDownLatch(1);
    HoldfastNode node =
        start(
            alone("first")
                .handle(
                    ECHO,
                    (note, context) -> {
                      started.countDown();
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    Enqueued<String> job = node.client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    assertThat(node.client().cancel(job.id())).isEqualTo(CancelResult.REQUESTED);

    awaitState(job.id(), JobState.CANCELLED);
  }

  @Test
  void aSingleNodeStopsWhenItsLeaseIsLostAndAnotherTakesOver() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch interrupted = new CountDownLatch(1);
    HoldfastNode first =
        start(
            node(cut)
                .id("first")
                .liveness(QUICK.with(settings -> settings.singleNode()))
                .shutdownGrace(Duration.ofHours(1))
                .handle(
                    ECHO,
                    (note, context) -> {
                      try {
                        new CountDownLatch(1).await();
                      } catch (InterruptedException stop) {
                        assertThat(context.isStopping()).isTrue();
                        interrupted.countDown();
                      }
                      return "void";
                    }));
    UUID incarnation = first.incarnation();
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    cut.cut();
    assertThat(interrupted.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(first.isReady()).isFalse();
    // No other node has taken over yet, and nothing was written for the job.
    assertThat(job(job.id()).state()).isEqualTo(JobState.RUNNING);
    await()
        .atMost(SOON)
        .ignoreException(HoldfastException.class)
        .until(() -> {
          start(alone("second").handle(ECHO, (note, context) -> "by the second"));
          return true;
        });

    assertThat(client().await(job, SOON)).isEqualTo("by the second");
    cut.heal();
    assertThat(first.incarnation()).isEqualTo(incarnation);
    assertThat(first.isReady()).isFalse();
  }

  @Test
  void aFencedSingleNodeRecoversItsJobs() {
    HoldfastNode node =
        start(
            alone("first")
                .handle(
                    ECHO,
                    (note, context) -> {
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    Enqueued<String> job = node.client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);
    Optional<UUID> before = store().nodes().holderOf(job.id());

    assertThat(node.client().nodes().fence("first")).isEqualTo(1);

    await().atMost(SOON).until(() -> !store().nodes().holderOf(job.id()).equals(before));
    assertThat(job(job.id()).failures()).isEmpty();
  }

  @Test
  void aSingleNodeSweepsAndDoesNotDeclareItselfDead() throws Exception {
    // More sweeps than fit into the timeout.
    CountDownLatch looks = new CountDownLatch(15);
    Store watched =
        Interposed.on(
            store(),
            call -> {
              if (call.is(StoreMethod.LOOK)) {
                looks.countDown();
              }
              return call.proceed();
            });
    HoldfastNode node =
        start(
            node(watched)
                .liveness(QUICK.with(settings -> settings.singleNode()))
                .handle(
                    ECHO,
                    (note, context) -> {
                      looks.await();
                      return "token " + context.fencingToken();
                    }));
    UUID incarnation = node.incarnation();
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));

    assertThat(client().await(job, SOON)).isEqualTo("token 1");
    assertThat(node.incarnation()).isEqualTo(incarnation);
    assertThat(store().nodes().beat(incarnation, 0)).isPresent();
  }

  @Test
  void aStartThatFailsLeavesNothingBehind() {
    Store failing = new FaultyStore(store()).failNext(StoreMethod.REGISTER);

    assertThatThrownBy(
            () -> node(failing).id("first").liveness(settings -> settings.singleNode()).start())
        .isInstanceOf(StoreException.class);

    start(alone("second"));
    assertThat(store().nodes().list())
        .extracting(status -> status.registration().id())
        .containsExactly("second");
  }

  @Test
  void aRejectedNodeDeclaresNothing() {
    start(alone("first"));

    assertThatThrownBy(() ->
            node()
                .id("second")
                .trigger(Trigger.named("late").on("order.made").start(ECHO).build())
                .start())
        .isInstanceOf(HoldfastException.class);

    assertThat(store().triggers().find("late")).isEmpty();
  }

  @Test
  void aNodeThatJoinsWhileASingleNodeStartsIsRejected() {
    AtomicBoolean once = new AtomicBoolean();
    Store slow =
        Interposed.on(
            store(),
            call -> {
              if (call.is(StoreMethod.REGISTER) && once.compareAndSet(false, true)) {
                start(alone("first"));
              }
              return call.proceed();
            });

    assertThatThrownBy(() -> start(node(slow).id("second")))
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("first");

    assertThat(alive()).containsExactly("first");
  }

  @Test
  void aNodeThatStartsOverAfterASingleNodeTookTheDatabaseStops() {
    FaultyStore cut = new FaultyStore(store());
    HoldfastNode ordinary = start(node(cut).id("ordinary").liveness(QUICK));
    UUID before = ordinary.incarnation();

    cut.cut();
    await()
        .atMost(SOON)
        .ignoreException(HoldfastException.class)
        .until(() -> {
          start(alone("loner"));
          return true;
        });
    cut.heal();

    await()
        .atMost(SOON)
        .until(() -> !ordinary.incarnation().equals(before) && alive().equals(List.of("loner")));
    assertThat(ordinary.isReady()).isFalse();
  }

  private List<String> alive() {
    return store().nodes().list().stream()
        .filter(NodeSnapshot::alive)
        .map(status -> status.registration().id())
        .toList();
  }
}
