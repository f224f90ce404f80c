package dev.holdfast.worker;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Learns of new work by a call that waits at the server, one after the other: a call that claims
 * nothing ends as soon as there may be work in a queue of the worker.
 */
final class HttpSignals implements ClusterCoordinator {
  private static final Duration WAIT = Duration.ofSeconds(25);
  private static final Duration PATIENCE = WAIT.plusSeconds(10);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /** Above the numbers of calls that claim, which have to find their jobs again. */
  private static final long CALL = Long.MAX_VALUE;

  private final WorkerApi api;
  private final Supplier<@Nullable UUID> worker;
  private final Set<String> queues;
  private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread thread;
  private volatile boolean heard;

  HttpSignals(WorkerApi api, Supplier<@Nullable UUID> worker, Set<String> queues) {
    this.api = api;
    this.worker = worker;
    this.queues = queues;
    this.thread = Thread.ofVirtual().name("holdfast-signals").start(this::listen);
  }

  private void listen() {
    while (!closed.get()) {
      UUID current = worker.get();
      try {
        if (current != null && await(current)) {
          queues.forEach(queue -> announce(new Signal.NewWork(queue, 0)));
        }
        Thread.sleep(current == null ? AFTER_FAILURE.dividedBy(10) : Duration.ZERO);
      } catch (StoreException away) {
        heard = false;
        try {
          Thread.sleep(AFTER_FAILURE);
        } catch (InterruptedException stopping) {
          return;
        }
      } catch (InterruptedException stopping) {
        return;
      }
    }
  }

  /** Returns whether there may be work. */
  private boolean await(UUID current) throws InterruptedException {
    ObjectNode body =
        WorkerJson.object()
            .put("call", CALL)
            .put("from", CALL)
            .put("max", 0)
            .put("wait", WAIT.toString());
    long asked = System.nanoTime();
    Optional<JsonNode> reply = api.call(current, "claim", body, PATIENCE);
    heard = reply.isPresent();
    if (reply.isEmpty()) {
      Thread.sleep(AFTER_FAILURE); // The heartbeat learns that it is dead.
      return false;
    }
    return System.nanoTime() - asked < WAIT.toNanos();
  }

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
  public boolean hearsOthers() {
    return heard;
  }

  @Override
  public void close() {
    closed.set(true);
    thread.interrupt();
  }
}
