package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.NodeSnapshot;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A separate process that is stopped by signals. */
class DrainTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final TestDatabase database = SharedServer.freshDatabase();
  private PostgresStore store;
  private Holdfast client;
  private NodeProcess process;

  @BeforeEach
  void setUp() {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .build());
    client = HoldfastClient.on(store);
  }

  private void startProcess(String grace) throws IOException {
    process = new NodeProcess(DrainProgram.class, database, grace);
  }

  @AfterEach
  void tearDown() {
    process.close();
    client.close();
    store.close();
  }

  private long beat() {
    return nodes().get(0).beat();
  }

  private List<NodeSnapshot> nodes() {
    return store.nodes().list();
  }

  @Test
  void aSignalledProcessFinishesItsJobsAndSendsHeartbeatsUntilTheEnd() throws Exception {
    startProcess(DrainProgram.LONG_GRACE);
    Enqueued<String> running = client.enqueue(DrainProgram.TASK, new DrainProgram.Wait("line"));
    process.awaitLine("STARTED");

    process.signal("TERM");
    long told = System.nanoTime();
    long before = beat();
    await()
        .atMost(SOON)
        .until(
            () -> System.nanoTime() - told > DrainProgram.TIMEOUT.toNanos() && beat() > before + 5);
    assertThat(client.find(running.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    assertThat(nodes())
        .singleElement()
        .matches(NodeSnapshot::alive)
        .matches(node -> node.sinceLastHeartbeat().compareTo(DrainProgram.TIMEOUT) < 0);
    process.tell("");

    assertThat(client.await(running, SOON)).isEqualTo("done");
    assertThat(process.hasEndedWithin(30_000)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(nodes()).singleElement().matches(node -> !node.alive());
  }

  @Test
  void aSecondSignalEndsTheProcessAtOnceWhileAJobRuns() throws Exception {
    startProcess(DrainProgram.LONG_GRACE);
    Enqueued<String> running = client.enqueue(DrainProgram.TASK, new DrainProgram.Wait("line"));
    process.awaitLine("STARTED");
    process.signal("TERM");
    process.awaitLine(DrainProgram.DRAINING);

    process.signal("TERM");

    // The grace time is a minute, so an end within seconds comes from the signal.
    assertThat(process.hasEndedWithin(10_000)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(client.find(running.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    assertThat(nodes()).as("it did not deregister").singleElement().matches(NodeSnapshot::alive);
  }

  @Test
  void aJobThatOutlivesTheGraceTimeIsRecoveredByExactlyOneNode() throws Exception {
    startProcess(DrainProgram.SHORT_GRACE);
    Enqueued<String> job = client.enqueue(DrainProgram.TASK, new DrainProgram.Wait("line"));
    process.awaitLine("STARTED");
    AtomicInteger runs = new AtomicInteger();
    List<SimpleMeterRegistry> meters = new ArrayList<>();
    List<HoldfastNode> survivors = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        meters.add(registry);
        survivors.add(
            HoldfastNode.on(store)
                .id("survivor-" + i)
                .meters(registry)
                .liveness(settings ->
                    settings
                        .heartbeat(Duration.ofMillis(300))
                        .timeout(DrainProgram.TIMEOUT)
                        .sweep(Duration.ofSeconds(1)))
                .handle(DrainProgram.TASK, (wait, context) -> "run " + runs.incrementAndGet())
                .start());
      }

      process.signal("TERM");

      assertThat(process.hasEndedWithin(30_000)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
      assertThat(client.find(job.id()).orElseThrow().state())
          .as("not handed back, because its handler was still running")
          .isEqualTo(JobState.RUNNING);
      assertThat(client.await(job, SOON)).isEqualTo("run 1");
      assertThat(meters.stream().mapToDouble(DrainTest::recovered).sum()).isEqualTo(1);
      assertThat(client.find(job.id()).orElseThrow().failures())
          .extracting(FailedAttempt::code)
          .containsExactly(FailureCode.WORKER_CRASHED);
    } finally {
      survivors.forEach(HoldfastNode::close);
    }
    assertThat(runs).hasValue(1);
  }

  private static double recovered(MeterRegistry registry) {
    return registry.find("holdfast.jobs.recovered").counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }
}
