package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.testkit.memory.InMemoryStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A stopped node leaves nothing behind in its process. */
class NodeReleaseTest {
  /** A payload. */
  record Note(String text) {}

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final TaskType<Note, String> ECHO =
      TaskType.of("release::echo", Note.class, String.class);
  private static final TaskType<Note, String> COMPUTE =
      TaskType.of("release::compute", Note.class, String.class);

  /** Counts its listeners. */
  private static final class Coordinator implements ClusterCoordinator {
    private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();

    @Override
    public void announce(Signal signal) {
      listeners.forEach(listener -> listener.accept(signal));
    }

    @Override
    public Runnable onSignal(Consumer<Signal> listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }

    @Override
    public void close() {}
  }

  private final InMemoryStore store = new InMemoryStore(InstantSource.system());
  private final Coordinator coordinator = new Coordinator();

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("holdfast-"))
        .collect(Collectors.toSet());
  }

  /** Returns a node that has used every feature that starts threads. */
  private HoldfastNode used() throws Exception {
    HoldfastNode node =
        HoldfastNode.on(store)
            .meters(new SimpleMeterRegistry())
            .coordinator(coordinator)
            .queue("default", 2, 2)
            .route("release::compute", "platform")
            .platformThreads(2)
            .listener(event -> {})
            .stopOnSignals()
            .handle(ECHO, (note, context) -> note.text())
            .handle(COMPUTE, (note, context) -> note.text())
            .start();
    node.leases().acquire("key", Duration.ofMinutes(1)).orElseThrow();
    assertThat(node.client().await(node.client().enqueue(ECHO, new Note("a")), SOON))
        .isEqualTo("a");
    assertThat(node.client().await(node.client().enqueue(COMPUTE, new Note("b")), SOON))
        .isEqualTo("b");
    return node;
  }

  @Test
  void theThreadsOfAStoppedNodeEndAndItsListenersAreRemoved() throws Exception {
    Set<Thread> before = threads();
    HoldfastNode node = used();
    assertThat(threads()).hasSizeGreaterThan(before.size() + 5);
    assertThat(coordinator.listeners).isNotEmpty();

    node.close();
    node.client().close();

    await().atMost(SOON).untilAsserted(() -> assertThat(before).containsAll(threads()));
    assertThat(coordinator.listeners).isEmpty();
  }

  @Test
  void aStoppedNodeCanBeGarbageCollected() throws Exception {
    WeakReference<HoldfastNode> node = stopped();

    await()
        .atMost(SOON)
        .until(() -> {
          System.gc();
          return node.get() == null;
        });
  }

  private WeakReference<HoldfastNode> stopped() throws Exception {
    HoldfastNode node = used();
    node.close();
    node.client().close();
    return new WeakReference<>(node);
  }
}
