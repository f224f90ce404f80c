package dev.holdfast.engine.meter;

import dev.holdfast.engine.store.QueueBook.Depth;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a node, which carry its readable name as the tag {@code node}. Those of a queue
 * carry its name as {@code queue}; in Prometheus they read {@code holdfast_jobs_claimed_total} and
 * so on.
 */
public final class Meters {
  private static final String UNNAMED = "unnamed";
  private static final Depth NO_DEPTH = new Depth(0, Duration.ZERO);

  private final MeterRegistry registry;
  private final Tags own;
  private final Map<String, OfQueue> queues = new ConcurrentHashMap<>();
  private final Map<String, DepthOfQueue> depths = new ConcurrentHashMap<>();
  private final Counter fenced;
  private final Counter nodesDied;
  private final Counter eventsDropped;
  private final AtomicLong unknownTaskJobs = new AtomicLong();

  /**
   * @param node the readable name of the node, if it has one. Its id is no tag: it differs with
   *     every process, and so would the meters
   */
  public Meters(MeterRegistry registry, @Nullable String node) {
    this.registry = registry;
    this.own = tagsOf(node);
    this.fenced =
        Counter.builder("holdfast.node.fenced")
            .description(
                "Times this node gave everything up because it could not show that it lives")
            .tags(own)
            .register(registry);
    this.nodesDied =
        Counter.builder("holdfast.nodes.died")
            .description("Nodes that this one found dead")
            .tags(own)
            .register(registry);
    this.eventsDropped =
        Counter.builder("holdfast.events.dropped")
            .description("Lifecycle events that listeners were too slow to hear")
            .tags(own)
            .register(registry);
    Gauge.builder("holdfast.jobs.unknown.task", unknownTaskJobs, AtomicLong::get)
        .description("Ready jobs of tasks that no live node has a handler for")
        .tags(own)
        .register(registry);
  }

  /** What all meters of a node carry. */
  static Tags tagsOf(@Nullable String node) {
    return Tags.of("node", node == null ? UNNAMED : node);
  }

  /** A failure that this node reported opened the breaker of a task. */
  public void breakerOpened(String task) {
    breaker("opened", "Times a breaker opened on a failure of this node", task).increment();
  }

  /** A success that this node reported closed the breaker of a task. */
  public void breakerClosed(String task) {
    breaker("closed", "Times a breaker closed on a success of this node", task).increment();
  }

  private Counter breaker(String what, String description, String task) {
    return Counter.builder("holdfast.breaker." + what)
        .description(description)
        .tags(own.and("task", task))
        .register(registry);
  }

  /** The meters of one queue. */
  private static final class OfQueue {
    final Counter claimed;
    final Counter started;
    final Counter succeeded;
    final Counter failed;
    final Counter retried;
    final Counter cancelled;
    final Counter recovered;
    final Counter staleWrites;
    final Timer wait;
    final Timer run;
    final Timer claimTime;
    final DistributionSummary claimBatch;

    OfQueue(MeterRegistry registry, Tags tags) {
      claimed = counter(registry, tags, "claimed", "Jobs taken hold of");
      started = counter(registry, tags, "started", "Attempts begun");
      succeeded = counter(registry, tags, "succeeded", "Jobs done");
      failed = counter(registry, tags, "failed", "Jobs failed for good");
      retried = counter(registry, tags, "retried", "Attempts that failed and are tried again");
      cancelled = counter(registry, tags, "cancelled", "Jobs stopped by request");
      recovered = counter(registry, tags, "recovered", "Jobs taken back from nodes that were gone");
      staleWrites =
          Counter.builder("holdfast.stale.writes.rejected")
              .description(
                  "Writes of holders that had lost their claim; none of them changed anything")
              .tags(tags)
              .register(registry);
      wait = timer(registry, tags, "holdfast.job.wait", "From due to claimed");
      run = timer(registry, tags, "holdfast.job.run", "From begun to ended");
      claimTime = timer(registry, tags, "holdfast.claim.time", "One claim call");
      claimBatch =
          DistributionSummary.builder("holdfast.claim.batch")
              .description("Jobs per claim call")
              .tags(tags)
              .register(registry);
    }

    private static Counter counter(
        MeterRegistry registry, Tags tags, String what, String description) {
      return Counter.builder("holdfast.jobs." + what)
          .description(description)
          .tags(tags)
          .register(registry);
    }

    private static Timer timer(MeterRegistry registry, Tags tags, String name, String description) {
      return Timer.builder(name)
          .description(description)
          .tags(tags)
          .publishPercentileHistogram()
          .register(registry);
    }
  }

  /** How long one queue is. */
  private static final class DepthOfQueue {
    final AtomicLong ready = new AtomicLong();
    final AtomicLong oldestMillis = new AtomicLong();

    DepthOfQueue(MeterRegistry registry, Tags tags) {
      Gauge.builder("holdfast.queue.depth", ready, AtomicLong::get)
          .description("Ready jobs; counting stops at 100,000")
          .tags(tags)
          .register(registry);
      Gauge.builder("holdfast.queue.oldest.ready", oldestMillis, age -> age.get() / 1000.0)
          .description("How long the longest-waiting ready job has waited")
          .baseUnit("seconds")
          .tags(tags)
          .register(registry);
    }
  }

  private OfQueue queue(String name) {
    OfQueue known = queues.get(name);
    return known != null
        ? known
        : queues.computeIfAbsent(name, fresh -> new OfQueue(registry, own.and("queue", fresh)));
  }

  public void claimCall(String queue, int jobs, Duration took) {
    OfQueue meters = queue(queue);
    meters.claimed.increment(jobs);
    meters.claimBatch.record(jobs);
    meters.claimTime.record(took);
  }

  public void started(String queue, Duration waited) {
    OfQueue meters = queue(queue);
    meters.started.increment();
    meters.wait.record(waited.isNegative() ? Duration.ZERO : waited);
  }

  public void ran(String queue, long nanos) {
    queue(queue).run.record(nanos, TimeUnit.NANOSECONDS);
  }

  public void succeeded(String queue) {
    queue(queue).succeeded.increment();
  }

  public void failed(String queue) {
    queue(queue).failed.increment();
  }

  public void retried(String queue) {
    queue(queue).retried.increment();
  }

  public void cancelled(String queue) {
    queue(queue).cancelled.increment();
  }

  public void recovered(String queue) {
    queue(queue).recovered.increment();
  }

  public void fenced() {
    fenced.increment();
  }

  public void nodeDied() {
    nodesDied.increment();
  }

  /** A holder that had lost its claim wrote how its attempt ended, or would have. */
  public void staleWrite(String queue) {
    queue(queue).staleWrites.increment();
  }

  public void eventsDropped(int count) {
    eventsDropped.increment(count);
  }

  public void unknownTaskJobs(long count) {
    unknownTaskJobs.set(count);
  }

  /** Take over what was measured of the queues that this node serves. */
  public void depths(Set<String> served, Map<String, Depth> measured) {
    for (String name : served) {
      Depth depth = measured.getOrDefault(name, NO_DEPTH);
      DepthOfQueue meters =
          depths.computeIfAbsent(
              name, fresh -> new DepthOfQueue(registry, own.and("queue", fresh)));
      meters.ready.set(depth.ready());
      meters.oldestMillis.set(depth.oldestReady().toMillis());
    }
  }
}
