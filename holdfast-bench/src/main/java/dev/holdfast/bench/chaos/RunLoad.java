package dev.holdfast.bench.chaos;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.chaos.ChaosFlows.Order;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that starts runs all the time and sends each the signal that it awaits. Requests that
 * fail are repeated until they were acknowledged, so that every run can end.
 */
final class RunLoad implements AutoCloseable {
  private static final Duration BETWEEN_RUNS = Duration.ofMillis(500);
  private static final Duration AFTER_FAILURE = Duration.ofMillis(200);

  /** How many runs are started before the first of them is signalled. */
  private static final int SIGNAL_LAG = 4;

  private final Holdfast client;
  private final Random random;
  private final Map<UUID, Workflow<?, ?>> started = new LinkedHashMap<>();
  private final Queue<RunId> unsignalled = new ArrayDeque<>();
  private final Thread thread;
  private volatile boolean closed;

  RunLoad(Store store, long seed) {
    this.client = HoldfastClient.on(store);
    this.random = new Random(seed);
    this.thread = Thread.ofPlatform().name("run-load").start(this::work);
  }

  private void work() {
    while (!closed) {
      startOne();
      if (unsignalled.size() > SIGNAL_LAG) {
        signalOne();
      }
      LockSupport.parkNanos(BETWEEN_RUNS.toNanos());
    }
    while (!unsignalled.isEmpty()) {
      signalOne();
    }
  }

  private void startOne() {
    Workflow<Order, Void> workflow = ChaosFlows.ALL.get(started.size() % ChaosFlows.ALL.size());
    Order order = ChaosFlows.someOrder(random);
    RunId id = new RunId(new UUID(random.nextLong(), random.nextLong()));
    repeat(() -> client.runs().start(workflow, order, RunOptions.of(run -> run.id(id))));
    started.put(id.value(), workflow);
    unsignalled.add(id);
  }

  private void signalOne() {
    RunId run = unsignalled.remove();
    repeat(() -> client.runs().signal(run, ChaosFlows.GO, "go", signal -> signal.id("once")));
  }

  private static void repeat(Runnable request) {
    while (true) {
      try {
        request.run();
        return;
      } catch (RunStateException ended) {
        return; // Only a chain awaits the signal.
      } catch (StoreException unanswered) {
        LockSupport.parkNanos(AFTER_FAILURE.toNanos());
      }
    }
  }

  /** Stops starting runs, and returns the workflows of those that were started. */
  Map<UUID, Workflow<?, ?>> stop() throws InterruptedException {
    closed = true;
    thread.join();
    return started;
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    client.close();
  }
}
