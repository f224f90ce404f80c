package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.Drafts;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.tck.contract.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Nodes that claim, start, retry, give back, recover and stage the jobs of runs all the time, and
 * never complete one.
 */
final class BusyNodes implements AutoCloseable {
  static final int JOBS = 12;

  private final PostgresFixture fixture;
  private final Set<RunId> stopped = ConcurrentHashMap.newKeySet();
  private final AtomicInteger attempts = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> loops;
  private volatile boolean closed;

  BusyNodes(PostgresFixture fixture) {
    this.fixture = fixture;
    this.loops =
        List.of(
            threads.submit(() -> loop(() -> work("node-1"))),
            threads.submit(() -> loop(() -> work("node-2"))),
            threads.submit(() -> loop(this::crash)),
            threads.submit(() -> loop(() -> fixture.store().staging().stage(10))));
  }

  /** Starts a run with a map whose jobs are READY. */
  RunId start() {
    RunId id = ChainPlanner.newId();
    int definition =
        fixture
            .store()
            .runs()
            .definitions()
            .register(List.of(new Definition("hash", "chain", 1, "{}")))
            .getFirst()
            .id();
    NewRun plain = ChainPlanner.run(id, definition, 1);
    List<RunPlan.Job> jobs =
        IntStream.range(0, JOBS).mapToObj(item -> ChainPlanner.job(id, 0, item, "{}")).toList();
    fixture
        .store()
        .runs()
        .intake()
        .start(
            new NewRun(
                id,
                false,
                new NewRun.Content(
                    definition,
                    plain.content().workflow(),
                    null,
                    null,
                    plain.content().tags(),
                    null,
                    null,
                    null,
                    null,
                    null,
                    RunSource.NONE,
                    List.of()),
                ChainPlanner.plan(RunState.RUNNING, "A", null, jobs, List.of())),
            null);
    return id;
  }

  /** Returns how many jobs of a run can be started. */
  String startable(RunId id) {
    return fixture.ask(
        """
        select count(*) from holdfast.job
        where run_id = '%s' and state in ('SCHEDULED', 'READY', 'CLAIMED', 'WAITING')
        """
            .formatted(id));
  }

  /** From now on it is an error if a job of this run starts. */
  void expectNoStartOf(RunId id) {
    stopped.add(id);
  }

  int attempts() {
    return attempts.get();
  }

  /** Waits until this number of attempts were made, or a node has failed. */
  void awaitAttempts(int count) {
    while (attempts.get() < count && loops.stream().noneMatch(Future::isDone)) {
      Thread.onSpinWait();
    }
  }

  private void loop(Runnable step) {
    while (!closed) {
      step.run();
    }
  }

  /** A node that fails or returns every job. */
  private void work(String name) {
    Worker worker = Worker.join(fixture.store(), name, Drafts.QUEUE, Drafts.TASK);
    while (!closed) {
      Set<RunId> before = Set.copyOf(stopped);
      for (ClaimedJob job : worker.claim(2, 2, null)) {
        require(!before.contains(run(job)), "claimed", job);
        boolean mayStart = !stopped.contains(run(job));
        if (job.started() || !worker.start(job.claim()).isEmpty()) {
          require(job.started() || mayStart, "started", job);
          attempts.incrementAndGet();
          switch (ThreadLocalRandom.current().nextInt(4)) {
            case 0 -> worker.retryIn(job, Duration.ZERO);
            case 1 -> worker.retryIn(job, Duration.ofMillis(1));
            case 2 -> worker.later(job, Duration.ZERO);
            default -> worker.giveBack(job.claim());
          }
        }
      }
    }
  }

  private static RunId run(ClaimedJob job) {
    StepRef step = job.step();
    if (step == null) {
      throw new AssertionError("Job %s belongs to no run.".formatted(job.id()));
    }
    return step.run();
  }

  private static void require(boolean condition, String what, ClaimedJob job) {
    if (!condition) {
      throw new AssertionError(
          "Job %s of run %s was %s after the run was stopped.".formatted(job.id(), run(job), what));
    }
  }

  /** A node that dies with the jobs that it holds, and one that recovers them. */
  private void crash() {
    Worker worker = Worker.join(fixture.store(), "node-3", Drafts.QUEUE, Drafts.TASK);
    List<ClaimId> held = worker.claim(1, 1, null).stream().map(ClaimedJob::claim).toList();
    fixture.execute(
        "update holdfast.node set state = 'DEAD', died_at = now() where incarnation = '%s'"
            .formatted(worker.incarnation()));
    fixture
        .store()
        .recovery()
        .recover(
            Holder.dead(worker.incarnation()),
            held.stream().map(RecoveryAction.NotStarted::new).toList());
  }

  /** Stops all nodes. Fails if one of them has failed. */
  @Override
  public void close() throws Exception {
    closed = true;
    threads.close();
    for (Future<?> each : loops) {
      each.get();
    }
  }
}
