package dev.holdfast.bench.harness;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** No-op jobs with a payload of 50 bytes, enqueued and run as in an application. */
public final class NoopJobs {
  /** The number of jobs in one bulk enqueue. */
  public static final int CHUNK = 10_000;

  /** The number of slots of a node: enough that it always has room for the next batch. */
  public static final int CONCURRENCY = 1_000;

  /** The default number of slots of a queue. */
  private static final int DEFAULT_CONCURRENCY = 100;

  public static final String QUEUE = "default";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK_EVERY = Duration.ofNanos(500_000);

  /** A payload that has 50 bytes when encoded as JSON. */
  public record Payload(String text) {
    public static final Payload OF_50_BYTES = new Payload("x".repeat(39));
  }

  public static final TaskType<Payload, Void> TASK = TaskType.of("bench::noop", Payload.class);

  private NoopJobs() {}

  /** Returns the given number of job requests. */
  public static List<JobRequest<Payload, Void>> requests(int count) {
    List<JobRequest<Payload, Void>> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      requests.add(JobRequest.of(TASK, Payload.OF_50_BYTES));
    }
    return requests;
  }

  /** Enqueues the given number of jobs, in chunks. */
  public static void enqueue(Store store, int count) {
    try (Holdfast client = HoldfastClient.on(store)) {
      for (int done = 0; done < count; done += CHUNK) {
        client.enqueueAll(requests(Math.min(CHUNK, count - done)));
      }
    }
  }

  /** Starts a node that counts the jobs it runs. */
  public static HoldfastNode start(Store store, AtomicInteger ran) {
    return start(store, CONCURRENCY, ran::incrementAndGet);
  }

  /**
   * Starts a node.
   *
   * @param slots 0 for the default
   * @param job what each job does
   */
  public static HoldfastNode start(Store store, int slots, Runnable job) {
    NodeBuilder node = HoldfastNode.on(store);
    if (slots > 0) {
      node.maxConcurrent(slots).queue(QUEUE, slots);
    }
    return start(node, job);
  }

  /** Starts a node with the default number of slots that does not claim jobs ahead. */
  public static HoldfastNode startWithoutPrefetch(Store store, Runnable job) {
    return start(HoldfastNode.on(store).queue(QUEUE, DEFAULT_CONCURRENCY, 0), job);
  }

  private static HoldfastNode start(NodeBuilder node, Runnable job) {
    return node
        // Equivalent to the default without metrics, which only one node of a process can use.
        .meters(new CompositeMeterRegistry())
        .handle(
            TASK,
            (payload, context) -> {
              job.run();
              return null;
            })
        .start();
  }

  /**
   * Runs the given number of waiting jobs in a node of this process.
   *
   * @return the time from the start of the node until the last job is durably finished
   */
  public static Duration drain(Store store, int count) {
    AtomicInteger ran = new AtomicInteger();
    long started = System.nanoTime();
    try (HoldfastNode node = start(store, ran)) {
      await(node, ran, count);
      return Duration.ofNanos(System.nanoTime() - started);
    }
  }

  /**
   * Waits until a node has run the given number of jobs and holds none, so that all are durably
   * finished.
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
            "The node has run %d of %d jobs, holds %d, and has made no progress for %d seconds."
                .formatted(seen, count, node.held(), PATIENCE.toSeconds()));
      }
    }
  }

  /** Returns the jobs per second. */
  public static double rate(int jobs, Duration time) {
    return jobs / (time.toNanos() / 1e9);
  }
}
