package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.CrashProgram.Kind;
import dev.holdfast.postgres.CrashProgram.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes that are killed, from outside and by their own jobs. */
class KilledProcessTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int JOBS = 40;
  private static final int HARMLESS = 200;

  private final TestDatabase database = SharedServer.freshDatabase();
  private final List<NodeProcess> processes = new ArrayList<>();
  private PostgresStore store;
  private Holdfast client;

  @BeforeEach
  void open() {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .build());
    client = HoldfastClient.on(store);
  }

  @AfterEach
  void close() {
    processes.forEach(NodeProcess::close);
    client.close();
    store.close();
  }

  private List<Enqueued<String>> enqueue(Kind kind, int count) {
    List<Enqueued<String>> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(client.enqueue(CrashProgram.TASK, new Work(kind)));
    }
    return jobs;
  }

  private NodeProcess start() throws IOException {
    NodeProcess process = new NodeProcess(CrashProgram.class, database);
    processes.add(process);
    return process;
  }

  private boolean isFailed(Enqueued<String> job) {
    return client.find(job.id()).orElseThrow().state() == JobState.FAILED;
  }

  private long count(JobState state) {
    return client.count(JobFilter.all()).of(state);
  }

  /**
   * The time of the takeover is a bar of {@code bench failover}. Here no job ends before all run.
   */
  @Test
  void allJobsOfAKilledNodeRunOnASurvivorAtTheSameTime() throws Exception {
    CountDownLatch running = new CountDownLatch(JOBS);
    CountDownLatch enough = new CountDownLatch(1);
    NodeProcess process = start();
    try (HoldfastNode survivor =
        HoldfastNode.on(store)
            .mode(NodeMode.TRIGGER_ONLY)
            .liveness(CrashProgram.LIVENESS)
            .maxConcurrent(CrashProgram.SLOTS)
            .handle(
                CrashProgram.TASK,
                (work, context) -> {
                  running.countDown();
                  enough.await();
                  return "done";
                })
            .start()) {
      List<Enqueued<String>> jobs = enqueue(Kind.HOLD, JOBS);
      await().atMost(SOON).until(() -> count(JobState.RUNNING) == JOBS);
      survivor.mode(NodeMode.FULL);

      process.signal("KILL");

      assertThat(running.await(SOON.toSeconds(), TimeUnit.SECONDS))
          .as("%d of %d jobs are not running", running.getCount(), JOBS)
          .isTrue();
      enough.countDown();
      for (Enqueued<String> job : jobs) {
        assertThat(client.await(job, SOON)).isEqualTo("done");
      }
    }
  }

  @Test
  void ofManyJobsOnlyTheOneThatKillsItsProcessesIsDeadLettered() throws Exception {
    try (HoldfastNode sweeper =
        HoldfastNode.on(store)
            .mode(NodeMode.TRIGGER_ONLY)
            .liveness(CrashProgram.LIVENESS)
            .handle(CrashProgram.TASK, (work, context) -> "never")
            .start()) {
      List<Enqueued<String>> harmless = enqueue(Kind.HARMLESS, HARMLESS / 2);
      Enqueued<String> poison = enqueue(Kind.POISON, 1).getFirst();
      harmless.addAll(enqueue(Kind.HARMLESS, HARMLESS / 2));

      // A process that outlives the poison job is not killed, because that would count as a crash
      // of its jobs.
      while (!isFailed(poison)) {
        NodeProcess process = start();
        await().atMost(SOON).until(() -> process.hasEndedWithin(50) || isFailed(poison));
        assertThat(processes).hasSizeLessThan(20);
        assertThat(sweeper.isReady()).isTrue();
      }
      start();
      await().atMost(SOON).until(() -> count(JobState.SUCCEEDED) == HARMLESS);

      assertThat(client.find(poison.id()).orElseThrow().failures())
          .extracting(FailedAttempt::code)
          .containsExactly(
              FailureCode.WORKER_CRASHED,
              FailureCode.WORKER_CRASHED,
              FailureCode.WORKER_CRASHED,
              FailureCode.WORKER_CRASHED);
      assertThat(count(JobState.FAILED)).isEqualTo(1);
    }
  }
}
