package dev.holdfast.bench.harness;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Store;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Jobs that do nothing, with a payload of 50 bytes, enqueued and run as a user would. */
public final class NoopJobs {
  /** How many jobs one bulk enqueue has. */
  public static final int CHUNK = 10_000;

  /** How many jobs a node runs at once: enough that it always has room for the next batch. */
  public static final int CONCURRENCY = 1_000;

  public static final String QUEUE = "default";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK_EVERY = Duration.ofNanos(500_000);

  /** Encoded as JSON it has 50 bytes. */
  public record Payload(String text) {
    public static final Payload OF_50_BYTES = new Payload("x".repeat(39));
  }

  public static final TaskType<Payload, Void> TASK = TaskType.of("bench::noop", Payload.class);

  private NoopJobs() {}

  /** Requests for so many jobs. */
  public static List<JobRequest<Payload, Void>> requests(int count) {
    List<JobRequest<Payload, Void>> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      requests.add(JobRequest.of(TASK, Payload.OF_50_BYTES));
    }
    return requests;
  }

  /** Enqueue so many jobs, in chunks. */
  public static void enqueue(Store store, int count) {
    try (Holdfast client = HoldfastClient.on(store)) {
      for (int done = 0; done < count; done += CHUNK) {
        client.enqueueAll(requests(Math.min(CHUNK, count - done)));
      }
    }
  }

  /** Start a node that counts what it runs. */
  public static HoldfastNode start(Store store, AtomicInteger ran) {
    return HoldfastNode.on(store)
        .maxConcurrent(CONCURRENCY)
        .queue(QUEUE, CONCURRENCY)
        // What the default is for whoever has no meters; the default itself takes one node only.
        .meters(new CompositeMeterRegistry())
        .handle(
            TASK,
            (payload, context) -> {
              ran.incrementAndGet();
              return null;
            })
        .start();
  }

  /**
   * Run all of so many waiting jobs in a node of this process.
   *
   * @return the time from the start of the node until the last job is durably finished
   */
  public static Duration drain(Store store, int count) {
    AtomicInteger ran = new AtomicInteger();
    long begun = System.nanoTime();
    try (HoldfastNode node = start(store, ran)) {
      await(node, ran, count);
      return Duration.ofNanos(System.nanoTime() - begun);
    }
  }

  /**
   * Wait until a node has run so many jobs and holds none, which it does until they are written.
   */
  public static void await(HoldfastNode node, AtomicInteger ran, int count) {
    int seen = 0;
    long progressed = System.nanoTime();
    while (ran.get() < count || node.held() > 0) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
      long now = System.nanoTime();
      if (ran.get() != seen) {
        seen = ran.get();
        progressed = now;
      } else if (now - progressed > PATIENCE.toNanos()) {
        throw new BenchException(
            "The node has run %d of %d jobs, holds %d, and has done nothing for %d seconds."
                .formatted(seen, count, node.held(), PATIENCE.toSeconds()));
      }
    }
  }

  /** Jobs per second. */
  public static double rate(int jobs, Duration time) {
    return jobs / (time.toNanos() / 1e9);
  }
}
