package dev.holdfast.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.job.CancelAnswer;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.HoldfastNode;
import dev.holdfast.engine.NodeBuilder;
import dev.holdfast.testkit.fault.FaultyStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A node that has the database for itself. */
public abstract class SingleNodeContract extends NodeTestBase {
  private NodeBuilder alone(String id) {
    return node().id(id).liveness(settings -> settings.singleNode());
  }

  @Test
  void aSecondNodeIsRefusedWithAClearError() throws Exception {
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
  void itIsRefusedWhereOthersLive() {
    start(node().id("one-of-many"));

    assertThatThrownBy(() -> alone("loner").start())
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("one-of-many");
    start(node().id("another-one"));
  }

  @Test
  void whenItStopsTheNextMayStart() {
    alone("first").start().close();

    start(alone("second"));
    assertThat(store().leases().find("holdfast:single-node").orElseThrow().holder())
        .isEqualTo("second");
  }

  @Test
  void itHearsOfCancellationsWithoutBeating() {
    CountDownLatch begun = new CountDownLatch(1);
    HoldfastNode node =
        start(
            alone("first")
                .handle(
                    ECHO,
                    (note, context) -> {
                      begun.countDown();
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    Enqueued<String> job = node.client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    assertThat(node.client().cancel(job.id())).isEqualTo(CancelAnswer.REQUESTED);

    awaitState(job.id(), JobState.CANCELLED);
  }

  @Test
  void itStopsWhenItsLeaseIsLostAndTheNextTakesOver() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    Duration terms = Duration.ofSeconds(1);
    HoldfastNode first =
        start(
            node(cut)
                .id("first")
                .liveness(settings ->
                    settings
                        .heartbeat(Duration.ofMillis(100))
                        .terms(terms)
                        .sweep(Duration.ofMillis(100))
                        .singleNode())
                .handle(
                    ECHO,
                    (note, context) -> {
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    cut.cut();
    await().atMost(SOON).until(() -> !first.isReady());
    await()
        .atMost(SOON)
        .ignoreException(HoldfastException.class)
        .until(() -> {
          start(alone("second").handle(ECHO, (note, context) -> "by the second"));
          return true;
        });

    assertThat(client().await(job, SOON)).isEqualTo("by the second");
    cut.heal();
  }
}
