package dev.holdfast.postgres.workflow;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.postgres.Drafts;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.tck.contract.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pauses a run again and again while nodes claim, start, retry, hand back and recover its jobs. */
class PauseRaceTest {
  private static final int PAUSES = 200;
  private static final int JOBS = 12;

  private static PostgresFixture fixture;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @Test
  void nothingIsStartableInAPausedRun() throws Exception {
    RunStore runs = fixture.store().runs();
    RunId id = start(runs);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger attempts = new AtomicInteger();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> others =
          List.of(
              threads.submit(() -> loop(stop, () -> work("node-1", attempts, stop))),
              threads.submit(() -> loop(stop, () -> work("node-2", attempts, stop))),
              threads.submit(() -> loop(stop, PauseRaceTest::crash)),
              threads.submit(() -> loop(stop, () -> fixture.store().staging().stage(10))));
      try {
        for (int i = 0; i < PAUSES; i++) {
          assertThat(runs.control().pause(id, "test").done()).isTrue();
          for (int look = 0; look < 3; look++) {
            assertThat(fixture.ask(startable(id))).as("pause %d, look %d", i, look).isEqualTo("0");
          }
          assertThat(runs.control().resume(id).done()).isTrue();
        }
      } finally {
        stop.set(true);
      }
      for (Future<?> other : others) {
        other.get();
      }
    }
    assertThat(attempts).hasPositiveValue();
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("" + JOBS);
  }

  private static String startable(RunId id) {
    return """
    select count(*) from holdfast.job
    where run_id = '%s' and state in ('SCHEDULED', 'READY', 'CLAIMED', 'WAITING')
    """
        .formatted(id);
  }

  private static RunId start(RunStore runs) {
    RunId id = ChainPlanner.newId();
    int definition =
        runs.definitions()
            .register(List.of(new Definition("hash", "chain", 1, "{}")))
            .getFirst()
            .id();
    NewRun plain = ChainPlanner.run(id, definition, 1);
    List<RunPlan.Job> jobs =
        IntStream.range(0, JOBS).mapToObj(item -> ChainPlanner.job(id, 0, item, "{}")).toList();
    runs.intake()
        .start(
            new NewRun(
                id,
                definition,
                plain.workflow(),
                null,
                null,
                plain.tags(),
                null,
                null,
                null,
                null,
                null,
                RunSource.NONE,
                List.of(),
                false,
                ChainPlanner.plan(RunState.RUNNING, "A", null, jobs, List.of())),
            null);
    return id;
  }

  private static void loop(AtomicBoolean stop, Runnable step) {
    while (!stop.get()) {
      step.run();
    }
  }

  /** A node that fails or returns every job. */
  private static void work(String name, AtomicInteger attempts, AtomicBoolean stop) {
    Worker worker = Worker.join(fixture.store(), name, Drafts.QUEUE, Drafts.TASK);
    while (!stop.get()) {
      for (ClaimedJob job : worker.claim(2, 2, null)) {
        if (job.started() || !worker.start(job.claim()).isEmpty()) {
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

  /** A node that dies with the jobs that it holds, and one that recovers them. */
  private static void crash() {
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
}
