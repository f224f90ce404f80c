package dev.holdfast.bench.chaos;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/** A client that enqueues jobs all the time and records which were acknowledged. */
final class Load implements AutoCloseable {
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(100);
  private static final int JOBS_PER_CALL = 8;

  private final Holdfast client;
  private final Random random;
  private final Map<UUID, Long> acknowledged = new HashMap<>();
  private final Thread thread;
  private volatile boolean closed;

  Load(Store store, long seed) {
    this.client = HoldfastClient.on(store);
    this.random = new Random(seed);
    this.thread = Thread.ofPlatform().name("load").start(this::ask);
  }

  private void ask() {
    while (!closed) {
      try {
        for (Enqueued<?> job : client.enqueueAll(requests())) {
          acknowledged.put(job.id().value(), System.nanoTime());
        }
      } catch (StoreException unconfirmed) {
        // Not acknowledged: these jobs may or may not exist.
      }
      LockSupport.parkNanos(BETWEEN_CALLS.toNanos());
    }
  }

  private List<JobRequest<?, ?>> requests() {
    List<JobRequest<?, ?>> requests = new ArrayList<>();
    for (int i = 0; i < JOBS_PER_CALL; i++) {
      requests.add(ChaosTask.some(random));
    }
    return requests;
  }

  /** Stops enqueuing, and returns the acknowledged jobs with the time of the acknowledgement. */
  Map<UUID, Long> stop() throws InterruptedException {
    closed = true;
    thread.join();
    return acknowledged;
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    client.close();
  }
}
