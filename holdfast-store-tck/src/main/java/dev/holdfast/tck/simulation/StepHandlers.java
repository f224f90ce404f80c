package dev.holdfast.tck.simulation;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.tck.simulation.Workload.Plan;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** The handlers of the steps of runs, and of jobs with durable steps. */
final class StepHandlers {
  private static final long MILLI = 1_000_000;
  private static final String OUTPUT = "{\"done\":1}";

  private final Timeline timeline;
  private final InvariantChecker checker;
  private final Workload workload;
  private final SplittableRandom random;
  private final Map<JobId, Plan> plans = new HashMap<>();
  private final Map<JobId, Durable> durable = new HashMap<>();

  /**
   * What a job with durable steps does besides its work.
   *
   * @param nap how long it sleeps; zero for not at all
   * @param awaits whether it awaits a signal, without which it never ends
   * @param transacts whether one of its steps is a transaction
   * @param length how long each durable step takes
   */
  private record Durable(Duration nap, boolean awaits, boolean transacts, long length) {}

  StepHandlers(
      Timeline timeline, InvariantChecker checker, Workload workload, SplittableRandom random) {
    this.timeline = timeline;
    this.checker = checker;
    this.workload = workload;
    this.random = random;
  }

  /** Makes a job await a signal. */
  void expectSignal(JobId job) {
    durable.put(job, new Durable(nap(), true, random.nextBoolean(), length()));
  }

  /** Handles a step. */
  String step(String payload, TaskContext context) throws InterruptedException {
    Plan plan = plans.computeIfAbsent(context.jobId(), id -> plan(random.nextBoolean()));
    checker.starts(context.jobId(), context.fencingToken());
    return workload.work(OUTPUT, context, plan, timeline.running().host().suspensions());
  }

  private Plan plan(boolean returns) {
    return new Plan(
        random.nextInt(1, 4),
        random.nextLong(5 * MILLI, 300 * MILLI),
        random.nextInt(5) < 2 ? random.nextInt(1, 3) : 0,
        random.nextBoolean(),
        returns);
  }

  private long length() {
    return random.nextLong(MILLI, 900 * MILLI);
  }

  private Duration nap() {
    return Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(50, 1_500));
  }

  /** Handles a job that stores its steps. */
  String durable(String payload, TaskContext context) throws Exception {
    JobId job = context.jobId();
    Plan plan = plans.computeIfAbsent(job, id -> plan(false));
    Durable more =
        durable.computeIfAbsent(
            job, id -> new Durable(nap(), false, random.nextBoolean(), length()));
    int suspensions = timeline.running().host().suspensions();
    checker.starts(job, context.fencingToken());
    DurableSteps steps = context.steps();
    steps.run("first", String.class, () -> execute(context, "first", suspensions, more.length));
    if (more.transacts) {
      steps.transaction("books", String.class, connection -> book(more.length));
    }
    if (!more.nap.isZero()) {
      steps.sleep("nap", more.nap);
    }
    if (more.awaits) {
      steps.awaitSignal(RunShapes.GO, String.class, Duration.ofHours(1));
    }
    steps.run("second", String.class, () -> execute(context, "second", suspensions, more.length));
    if (context.isStopping()) { // The process may have been paused in a call of the journal.
      throw new InterruptedException("Told to stop");
    }
    return workload.work(OUTPUT, context, plan, suspensions);
  }

  /** The body of a transaction, whose effect comes with its commit. */
  private String book(long length) {
    timeline.running().sleepUntil(timeline.now() + length);
    return "1";
  }

  /**
   * Executes a durable step, unless the attempt was told to stop while the process was paused. Its
   * effect comes first: if the machine is suspended after that, the step does not notice, and its
   * result is sent to the store.
   */
  private String execute(TaskContext context, String name, int suspensions, long length)
      throws InterruptedException {
    if (timeline.running().host().suspensions() > suspensions || context.isStopping()) {
      throw new InterruptedException("Told to stop");
    }
    checker.executes(context.jobId(), context.fencingToken(), name);
    timeline.running().sleepUntil(timeline.now() + length);
    return "1";
  }
}
