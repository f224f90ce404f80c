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
  private final InvariantChecker ledger;
  private final Trace journal;
  private final SplittableRandom random;
  private final Map<JobId, Plan> plans = new HashMap<>();
  private int expected;

  /**
   * What a job does.
   *
   * @param steps how many effects it has
   * @param pause how long it takes from one to the next, which is also how long it takes to heed an
   *     interrupt
   * @param failures how many of its attempts fail
   * @param asks whether it asks its context between two steps whether to stop; otherwise nothing
   *     but an interrupt stops it
   * @param returns whether it returns when it is told to stop, as if it had done all of its work
   */
  private record Plan(int steps, long pause, int failures, boolean asks, boolean returns) {}

  /** Fails an attempt. */
  private static final class Planned extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Planned(String message) {
      super(message, null, false, false);
    }
  }

  /** Payloads are texts, and results too. */
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
      InvariantChecker ledger,
      Trace journal,
      SplittableRandom random) {
    this.timeline = timeline;
    this.store = store;
    this.ledger = ledger;
    this.journal = journal;
    this.random = random;
  }

  /** Plan so many jobs, to be enqueued at any time before this one. */
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
    // Slow ones need almost all of the margin to respond to an interrupt: see LivenessSettings.
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
            TASK.name(),
            JobOptions.DEFAULT_QUEUE,
            random.nextInt(10),
            when,
            "\"work\"",
            null,
            Set.of(),
            null,
            null,
            false);
    if (random.nextInt(6) == 0) {
      // The client gave up waiting and sent it again; what it sent first arrives long after.
      store.intake().enqueue(List.of(job.repeated()));
      timeline.at(timeline.now() + random.nextLong(20_000 * MILLI), () -> arriveLate(job));
    } else {
      store.intake().enqueue(List.of(job));
    }
    ledger.watch(id);
    journal.note("client", "enqueues " + id);
    if (random.nextInt(12) == 0) {
      timeline.at(timeline.now() + random.nextLong(5_000 * MILLI), () -> cancel(id));
    } else if (random.nextInt(8) == 0) {
      timeline.at(timeline.now() + random.nextLong(5_000 * MILLI), () -> requeue(id));
    }
  }

  private void arriveLate(NewJob job) {
    journal.note("client", "is late with " + job.id());
    store.intake().enqueue(List.of(job));
    ledger.check();
  }

  private void requeue(JobId id) {
    if (!ledger.hasEnded(id)) { // A dead letter would live again, as it should.
      journal.note("client", "requeues " + id);
      store.control().requeue(id);
      ledger.check();
    }
  }

  private void cancel(JobId id) {
    journal.note("client", "cancels " + id);
    store.control().cancel(id);
    ledger.check();
  }

  /**
   * The code of the task. It responds to interruption within the margin: what it was about to do
   * when it was told to stop is still done, as a request that was on its way is, and nothing after
   * that.
   */
  String handle(String payload, TaskContext context) throws InterruptedException {
    JobId id = context.jobId();
    long token = context.fencingToken();
    Plan plan = plans.getOrDefault(id, new Plan(1, MILLI, 0, true, false));
    Host host = timeline.running().host();
    int suspensions = host.suspensions();
    ledger.begins(id, token);
    for (int step = 1; step <= plan.steps; step++) {
      if (isToldToStop(context, plan.asks)) {
        return stop(plan, payload);
      }
      long due = timeline.now() + plan.pause;
      timeline.running().sleepUntil(due);
      // It stood still with its process, perhaps for longer than the margin. What was suspended
      // with its machine can learn that from no clock: only the token tells.
      if (host.suspensions() > suspensions) {
        throw new Planned("Its machine was suspended");
      }
      if (timeline.now() > due && isToldToStop(context, true)) {
        return stop(plan, payload);
      }
      ledger.effect(id, token, "step " + step);
    }
    if (context.attempt() <= plan.failures) {
      throw new Planned("It was to fail");
    }
    ledger.completes(id, token);
    return payload;
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
