package dev.holdfast.engine.meter;

import dev.holdfast.engine.store.JobRef;
import dev.holdfast.engine.store.QueueStore.Depth;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a node, which carry its display name as the tag {@code node}. Those of a queue
 * carry its name as {@code queue}, those of jobs also their task as {@code task}; in Prometheus
 * they read {@code holdfast_jobs_started_total} and so on.
 *
 * <p>No method throws, even if the registry does.
 */
public final class Meters {
  /** The tag value of tasks beyond the first hundred, and of unknown ones. */
  private static final String OTHER = "other";

  /** Each task costs up to a hundred time series for each of its queues. */
  private static final int MOST_TASKS = 100;

  private static final String UNNAMED = "unnamed";
  private static final Depth NO_DEPTH = new Depth(0, Duration.ZERO);

  private final MeterRegistry registry;
  private final Tags own;
  private final Set<String> tasks;
  private final Map<String, OfQueue> queues = new ConcurrentHashMap<>();
  private final Map<String, DepthOfQueue> depths = new ConcurrentHashMap<>();
  private final Queue<GaugeValues.Value> gauges = new ConcurrentLinkedQueue<>();
  private final Guarded<Counter> fenced;
  private final Guarded<Counter> nodesDied;
  private final Guarded<Counter> eventsDropped;
  private final Guarded<Counter> largeRuns;
  private final GaugeValues.Value unknownTaskJobs;
  private final GaugeValues.Value strandedRuns;

  /**
   * Creates the meters of a node.
   *
   * @param node the display name of the node, if it has one. Its id is not a tag: it differs with
   *     every process, and so would the meters
   * @param tasks the tasks that the node has handlers for. The first hundred of them by name are
   *     tags; all others count as one, so that the number of meters is bounded
   */
  public Meters(MeterRegistry registry, @Nullable String node, Collection<String> tasks) {
    this.registry = registry;
    this.own = tagsOf(node);
    this.tasks = tasks.stream().sorted().limit(MOST_TASKS).collect(Collectors.toUnmodifiableSet());
    this.fenced =
        counter(
            "holdfast.node.fenced",
            "Times this node fenced itself and gave up all of its jobs",
            own);
    this.nodesDied = counter("holdfast.nodes.died", "Nodes that this one found dead", own);
    this.eventsDropped =
        counter(
            "holdfast.events.dropped",
            "Lifecycle events dropped because listeners were too slow",
            own);
    this.largeRuns =
        counter(
            "holdfast.runs.large", "Runs whose outputs have half of the allowed size or more", own);
    this.unknownTaskJobs =
        gauge(
            "holdfast.jobs.unknown.task",
            "Ready jobs of tasks that no live node has a handler for",
            null,
            1,
            own);
    this.strandedRuns =
        gauge("holdfast.runs.stranded", "Open runs that no live node can continue", null, 1, own);
  }

  private GaugeValues.Value gauge(
      String name, String description, @Nullable String unit, double scale, Tags tags) {
    GaugeValues.Value value = GaugeValues.of(registry, name, description, unit, scale, tags);
    gauges.add(value);
    return value;
  }

  /** Removes the values of this node from all gauges. */
  public void close() {
    gauges.forEach(GaugeValues.Value::close);
  }

  /** Returns the tags that all meters of a node carry. */
  static Tags tagsOf(@Nullable String node) {
    return Tags.of("node", node == null ? UNNAMED : node);
  }

  private Guarded<Counter> counter(String name, String description, Tags tags) {
    return new Guarded<>(
        name, () -> Counter.builder(name).description(description).tags(tags).register(registry));
  }

  private Guarded<Timer> timer(String name, String description, Tags tags) {
    return new Guarded<>(
        name,
        () ->
            Timer.builder(name)
                .description(description)
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry));
  }

  /** Counts that a failure on this node opened the breaker of a task. */
  public void breakerOpened(String task) {
    breaker("opened", "Times a breaker opened on a failure of this node", task);
  }

  /** Counts that a success on this node closed the breaker of a task. */
  public void breakerClosed(String task) {
    breaker("closed", "Times a breaker closed on a success of this node", task);
  }

  private void breaker(String what, String description, String task) {
    counter("holdfast.breaker." + what, description, own.and("task", task)).use(Counter::increment);
  }

  /** The meters of one queue. */
  private final class OfQueue {
    final Guarded<Counter> claimed;
    final Guarded<Timer> claimTime;
    final Guarded<DistributionSummary> claimBatch;
    final GaugeValues.Value slotsLost;
    final GaugeValues.Value slotsReplaced;
    final Map<String, OfTask> tasks = new ConcurrentHashMap<>();
    private final Tags tags;

    OfQueue(String name) {
      tags = own.and("queue", name);
      claimed = counter("holdfast.jobs.claimed", "Jobs claimed", tags);
      claimTime = timer("holdfast.claim.time", "One claim call", tags);
      claimBatch =
          new Guarded<>(
              "holdfast.claim.batch",
              () ->
                  DistributionSummary.builder("holdfast.claim.batch")
                      .description("Jobs per claim call")
                      .tags(tags)
                      .register(registry));
      slotsLost =
          gauge(
              "holdfast.slots.lost",
              "Slots occupied by handlers that do not respond to interruption",
              null,
              1,
              tags);
      slotsReplaced =
          gauge(
              "holdfast.slots.replaced",
              "Slots that replace those of handlers that do not respond to interruption",
              null,
              1,
              tags);
    }

    OfTask task(String name) {
      String tag = Meters.this.tasks.contains(name) ? name : OTHER;
      OfTask known = tasks.get(tag);
      return known != null
          ? known
          : tasks.computeIfAbsent(tag, fresh -> new OfTask(tags.and("task", fresh)));
    }
  }

  /** The meters of the jobs of one task in one queue. */
  private final class OfTask {
    final Guarded<Counter> started;
    final Guarded<Counter> succeeded;
    final Guarded<Counter> failed;
    final Guarded<Counter> retried;
    final Guarded<Counter> cancelled;
    final Guarded<Counter> recovered;
    final Guarded<Counter> staleWrites;
    final Guarded<Counter> largeOutputs;
    final Guarded<Timer> wait;
    final Guarded<Timer> run;

    OfTask(Tags tags) {
      started = counter("holdfast.jobs.started", "Attempts started", tags);
      succeeded = counter("holdfast.jobs.succeeded", "Jobs that succeeded", tags);
      failed = counter("holdfast.jobs.failed", "Jobs that failed permanently", tags);
      retried = counter("holdfast.jobs.retried", "Attempts that failed and are retried", tags);
      cancelled = counter("holdfast.jobs.cancelled", "Jobs stopped by request", tags);
      recovered = counter("holdfast.jobs.recovered", "Jobs recovered from dead nodes", tags);
      staleWrites =
          counter(
              "holdfast.stale.writes.rejected",
              "Writes by nodes that had lost their claim; none of them changed anything",
              tags);
      largeOutputs =
          counter(
              "holdfast.outputs.large",
              "Results of jobs and durable steps with half of the allowed size or more",
              tags);
      wait = timer("holdfast.job.wait", "From due to claimed", tags);
      run = timer("holdfast.job.run", "From started to ended", tags);
    }
  }

  /** The depth of one queue. */
  private final class DepthOfQueue {
    final GaugeValues.Value ready;
    final GaugeValues.Value oldestMillis;

    DepthOfQueue(String name) {
      Tags tags = own.and("queue", name);
      ready = gauge("holdfast.queue.depth", "Ready jobs; counting stops at 100,000", null, 1, tags);
      oldestMillis =
          gauge(
              "holdfast.queue.oldest.ready",
              "How long the longest-waiting ready job has waited",
              "seconds",
              1000,
              tags);
    }
  }

  private OfQueue queue(String name) {
    OfQueue known = queues.get(name);
    return known != null ? known : queues.computeIfAbsent(name, OfQueue::new);
  }

  private OfTask of(JobRef job) {
    return queue(job.queue()).task(job.task());
  }

  public void claimCall(String queue, int jobs, Duration took) {
    OfQueue meters = queue(queue);
    meters.claimed.use(counter -> counter.increment(jobs));
    meters.claimBatch.use(summary -> summary.record(jobs));
    meters.claimTime.use(timer -> timer.record(took));
  }

  public void started(JobRef job, Duration waited) {
    OfTask meters = of(job);
    meters.started.use(Counter::increment);
    meters.wait.use(timer -> timer.record(waited.isNegative() ? Duration.ZERO : waited));
  }

  public void ran(JobRef job, long nanos) {
    of(job).run.use(timer -> timer.record(nanos, TimeUnit.NANOSECONDS));
  }

  public void succeeded(JobRef job) {
    of(job).succeeded.use(Counter::increment);
  }

  public void failed(JobRef job) {
    of(job).failed.use(Counter::increment);
  }

  public void retried(JobRef job) {
    of(job).retried.use(Counter::increment);
  }

  public void cancelled(JobRef job) {
    of(job).cancelled.use(Counter::increment);
  }

  public void recovered(JobRef job) {
    of(job).recovered.use(Counter::increment);
  }

  /** Changes the number of hung attempts. */
  public void hung(String queue, boolean replaced, int by) {
    OfQueue meters = queue(queue);
    (replaced ? meters.slotsReplaced : meters.slotsLost).add(by);
  }

  public void fenced() {
    fenced.use(Counter::increment);
  }

  public void nodeDied() {
    nodesDied.use(Counter::increment);
  }

  /** Counts that a node that had lost its claim wrote the outcome of its attempt, or would have. */
  public void staleWrite(JobRef job) {
    of(job).staleWrites.use(Counter::increment);
  }

  /** Counts an output that has half of the allowed size or more. */
  public void largeOutput(JobRef job) {
    of(job).largeOutputs.use(Counter::increment);
  }

  /** Counts a run whose outputs have half of the allowed size or more. */
  public void largeRun() {
    largeRuns.use(Counter::increment);
  }

  public void eventsDropped(int count) {
    eventsDropped.use(counter -> counter.increment(count));
  }

  public void unknownTaskJobs(long count) {
    unknownTaskJobs.set(count);
  }

  public void strandedRuns(long count) {
    strandedRuns.set(count);
  }

  /** Returns gauges of ended attempts that are not written yet, for what writes some of them. */
  public Reports reports() {
    return new Reports(
        gauge(
            "holdfast.reports.waiting",
            "Attempts that have ended on this node and whose outcome is not written yet",
            null,
            1,
            own),
        gauge(
            "holdfast.reports.oldest",
            "How long the longest-waiting of them has waited",
            "seconds",
            1000,
            own));
  }

  /** Gauges of ended attempts that are not written yet. */
  public static final class Reports {
    private final GaugeValues.Value waiting;
    private final GaugeValues.Value oldestMillis;

    private Reports(GaugeValues.Value waiting, GaugeValues.Value oldestMillis) {
      this.waiting = waiting;
      this.oldestMillis = oldestMillis;
    }

    /** Sets how many there are, and how long the oldest has waited. */
    public void set(int count, Duration oldest) {
      waiting.set(count);
      oldestMillis.set(oldest.toMillis());
    }
  }

  /** Sets the measured depths of the queues that this node serves. */
  public void depths(Set<String> served, Map<String, Depth> measured) {
    for (String name : served) {
      Depth depth = measured.getOrDefault(name, NO_DEPTH);
      DepthOfQueue meters = depths.computeIfAbsent(name, DepthOfQueue::new);
      meters.ready.set(depth.ready());
      meters.oldestMillis.set(depth.oldestReady().toMillis());
    }
  }
}
