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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that starts runs all the time, sends each the signal that it awaits, and pauses some for
 * a while. Requests that fail are repeated until they were acknowledged, so that every run can end.
 */
final class RunLoad implements AutoCloseable {
  private static final Duration BETWEEN_RUNS = Duration.ofMillis(500);
  private static final Duration AFTER_FAILURE = Duration.ofMillis(200);

  /** How many runs are started before the first of them is signalled. */
  private static final int SIGNAL_LAG = 4;

  private static final int PAUSE_EVERY = 5;

  private final Holdfast client;
  private final Random random;
  private final Map<UUID, Workflow<?, ?>> started = new LinkedHashMap<>();
  private final Queue<RunId> unsignalled = new ArrayDeque<>();
  private final List<RunId> paused = new ArrayList<>();
  private final Thread thread;
  private volatile boolean closed;

  RunLoad(Store store, long seed) {
    this.client = HoldfastClient.on(store);
    this.random = new Random(seed);
    this.thread = Thread.ofPlatform().name("run-load").start(this::work);
  }

  private void work() {
    while (!closed) {
      RunId last = startOne();
      if (started.size() % PAUSE_EVERY == 0) {
        repeat(() -> client.runs().pause(last));
        paused.add(last);
      } else if (started.size() % PAUSE_EVERY == 1 && !paused.isEmpty()) {
        resume(paused.getLast());
      }
      if (unsignalled.size() > SIGNAL_LAG) {
        signalOne();
      }
      LockSupport.parkNanos(BETWEEN_RUNS.toNanos());
    }
    while (!unsignalled.isEmpty()) {
      signalOne();
    }
    // A pause whose reply was lost may have been carried out after the run was resumed.
    paused.forEach(this::resume);
  }

  private void resume(RunId run) {
    repeat(() -> client.runs().resume(run));
  }

  private RunId startOne() {
    Workflow<Order, Void> workflow = ChaosFlows.ALL.get(started.size() % ChaosFlows.ALL.size());
    Order order = ChaosFlows.someOrder(random);
    RunId id = new RunId(new UUID(random.nextLong(), random.nextLong()));
    repeat(() -> client.runs().start(workflow, order, RunOptions.of(run -> run.id(id))));
    started.put(id.value(), workflow);
    unsignalled.add(id);
    return id;
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
      } catch (RunStateException refused) {
        return; // Only a chain awaits the signal; a repeated request finds the run changed.
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
