package dev.holdfast.tck.simulation;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.When;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The jobs of a simulation and the handlers that run them. */
final class Workload {
  static final TaskType<String, String> TASK =
      TaskType.of("simulated::work", String.class, String.class)
          .with(options ->
              options
                  .retry(RetryPolicy.fixed(Duration.ofMillis(300)).maxAttempts(3))
                  .timeout(Duration.ofSeconds(10)));

  private static final long MILLI = 1_000_000;

  private final Timeline timeline;
  private final Store store;
  private final InvariantChecker checker;
  private final Trace trace;
  private final SplittableRandom random;
  private final Map<JobId, Plan> plans = new HashMap<>();
  private int expected;

  /**
   * What a job does.
   *
   * @param steps how many effects it has
   * @param pause the time between two effects, which is also the time it takes to respond to
   *     interruption
   * @param failures how many of its attempts fail
   * @param asks whether it checks {@code isStopping} between two steps; otherwise only an interrupt
   *     stops it
   * @param returns whether it returns normally when it is told to stop
   */
  record Plan(int steps, long pause, int failures, boolean asks, boolean returns) {}

  /** A planned failure of an attempt. */
  private static final class Planned extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Planned(String message) {
      super(message, null, false, false);
    }
  }

  /** Stores payloads and results as plain text. */
  static final class TextCodec implements PayloadCodec {
    @Override
    public String encode(Object value) {
      return value.toString();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T decode(String text, TypeRef<T> type) throws CodecException {
      return ((Class<T>) type.type()).cast(text);
    }
  }

  Workload(
      Timeline timeline,
      Store store,
      InvariantChecker checker,
      Trace trace,
      SplittableRandom random) {
    this.timeline = timeline;
    this.store = store;
    this.checker = checker;
    this.trace = trace;
    this.random = random;
  }

  /** Plans this number of jobs, to be enqueued at random times before the given time. */
  void plan(int jobs, long before) {
    expected = jobs;
    for (int i = 0; i < jobs; i++) {
      timeline.at(random.nextLong(before), this::enqueue);
    }
  }

  boolean isAllEnqueued() {
    return plans.size() == expected;
  }

  private void enqueue() {
    JobId id = new JobId(new UUID(plans.size() + 1, random.nextLong()));
    // Slow jobs need almost the whole margin to respond to interruption: see LivenessSettings.
    boolean slow = random.nextBoolean();
    plans.put(
        id,
        new Plan(
            slow ? random.nextInt(5, 14) : random.nextInt(1, 12),
            slow
                ? random.nextLong(500 * MILLI, 950 * MILLI)
                : random.nextLong(5 * MILLI, 500 * MILLI),
            random.nextInt(4) == 0 ? random.nextInt(1, 4) : 0,
            random.nextBoolean(),
            random.nextBoolean()));
    When when =
        random.nextInt(4) == 0
            ? new When.After(Duration.ofMillis(random.nextInt(1, 3_000)))
            : When.NOW;
    NewJob job =
        new NewJob(
            id,
            NewJob.IdUse.FRESH,
            when,
            null,
            new NewJob.Content(
                TASK.name(),
                JobOptions.DEFAULT_QUEUE,
                random.nextInt(10),
                "\"work\"",
                Set.of(),
                null,
                null,
                NewJob.Stamp.NONE));
    if (random.nextInt(6) == 0) {
      // The client gave up waiting and repeated the enqueue. The first request arrives long after.
      store.intake().enqueue(List.of(job.repeated()));
      timeline.at(timeline.now() + random.nextLong(20_000 * MILLI), () -> arriveLate(job));
    } else {
      store.intake().enqueue(List.of(job));
    }
    checker.watch(id);
    trace.note("client", "enqueues " + id);
    if (random.nextInt(12) == 0) {
      timeline.at(timeline.now() + random.nextLong(5_000 * MILLI), () -> cancel(id));
    } else if (random.nextInt(8) == 0) {
      timeline.at(timeline.now() + random.nextLong(5_000 * MILLI), () -> requeue(id));
    }
  }

  /** Enqueues a job with durable steps that awaits a signal. */
  JobId enqueueWaiting(StepHandlers handlers) {
    JobId id = new JobId(new UUID(0, random.nextLong()));
    handlers.expectSignal(id);
    store
        .intake()
        .enqueue(
            List.of(
                new NewJob(
                    id,
                    NewJob.IdUse.FRESH,
                    When.NOW,
                    null,
                    new NewJob.Content(
                        RunShapes.DURABLE.name(),
                        JobOptions.DEFAULT_QUEUE,
                        random.nextInt(10),
                        "{}",
                        Set.of(),
                        null,
                        null,
                        NewJob.Stamp.NONE))));
    checker.watch(id);
    return id;
  }

  private void arriveLate(NewJob job) {
    trace.note("client", "is late with " + job.id());
    store.intake().enqueue(List.of(job));
    checker.check();
  }

  private void requeue(JobId id) {
    if (!checker.hasEnded(id)) { // Requeuing a dead-lettered job would revive it.
      trace.note("client", "requeues " + id);
      store.control().requeue(id);
      checker.check();
    }
  }

  private void cancel(JobId id) {
    trace.note("client", "cancels " + id);
    store.control().cancel(id);
    checker.check();
  }

  /** Handles the task. */
  String handle(String payload, TaskContext context) throws InterruptedException {
    Plan plan = plans.getOrDefault(context.jobId(), new Plan(1, MILLI, 0, true, false));
    checker.starts(context.jobId(), context.fencingToken());
    return work(payload, context, plan, timeline.running().host().suspensions());
  }

  /**
   * Works as planned. It responds to interruption within the margin: a step in progress when it is
   * told to stop is still completed, like a request that was already sent, and no step follows.
   *
   * @param suspensions how often the machine had been suspended when the attempt started
   */
  String work(String result, TaskContext context, Plan plan, int suspensions)
      throws InterruptedException {
    JobId id = context.jobId();
    long token = context.fencingToken();
    Host host = timeline.running().host();
    for (int step = 1; step <= plan.steps; step++) {
      if (isToldToStop(context, plan.asks)) {
        return stop(plan, result);
      }
      long due = timeline.now() + plan.pause;
      timeline.running().sleepUntil(due);
      // The process was paused, perhaps for longer than the margin. After a suspension of the
      // machine no monotonic clock shows that; only the token protects.
      if (host.suspensions() > suspensions) {
        throw new Planned("The machine was suspended");
      }
      if (timeline.now() > due && isToldToStop(context, true)) {
        return stop(plan, result);
      }
      checker.effect(id, token, "step " + step);
    }
    if (context.attempt() <= plan.failures) {
      throw new Planned("Planned failure");
    }
    checker.completes(id, token);
    return result;
  }

  private static String stop(Plan plan, String payload) throws InterruptedException {
    if (plan.returns) {
      return payload;
    }
    throw new InterruptedException("Told to stop");
  }

  private static boolean isToldToStop(TaskContext context, boolean asks) {
    return Thread.interrupted() || (asks && context.isStopping());
  }
}
