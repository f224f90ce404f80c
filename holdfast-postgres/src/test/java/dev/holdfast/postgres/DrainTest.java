package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.store.NodeStore.NodeStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A real process that is told to stop by real signals. */
class DrainTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final TestDatabase database = SharedServer.freshDatabase();
  private PostgresStore store;
  private Holdfast client;
  private NodeProcess process;

  @BeforeEach
  void begin() throws IOException {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .build());
    client = HoldfastClient.on(store);
    process = new NodeProcess(DrainProgram.class, database);
  }

  @AfterEach
  void end() {
    process.close();
    client.close();
    store.close();
  }

  private long beat() {
    return nodes().get(0).beat();
  }

  private List<NodeStatus> nodes() {
    return store.nodes().list();
  }

  @Test
  void aProcessThatIsToldToStopFinishesWhatItRunsAndBeatsToTheEnd() throws Exception {
    Enqueued<String> running = client.enqueue(DrainProgram.TASK, new DrainProgram.Wait("line"));
    process.awaitLine("BEGUN");

    process.signal("TERM");
    long told = System.nanoTime();
    long before = beat();
    await()
        .atMost(SOON)
        .until(
            () -> System.nanoTime() - told > DrainProgram.TERMS.toNanos() && beat() > before + 5);
    assertThat(client.find(running.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    assertThat(nodes())
        .singleElement()
        .matches(NodeStatus::alive)
        .matches(node -> node.sinceLastHeartbeat().compareTo(DrainProgram.TERMS) < 0);
    process.tell("");

    assertThat(client.await(running, SOON)).isEqualTo("done");
    assertThat(process.hasEndedWithin(30_000)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(nodes()).singleElement().matches(node -> !node.alive());
  }

  @Test
  void aSecondSignalEndsTheProcessAtOnceWithWorkStillRunning() throws Exception {
    Enqueued<String> running = client.enqueue(DrainProgram.TASK, new DrainProgram.Wait("line"));
    process.awaitLine("BEGUN");
    process.signal("TERM");
    process.awaitLine(DrainProgram.DRAINING);

    process.signal("TERM");

    // Its grace is a minute, so an end within seconds comes from the signal.
    assertThat(process.hasEndedWithin(10_000)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(client.find(running.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    assertThat(nodes()).as("it did not deregister").singleElement().matches(NodeStatus::alive);
  }
}
