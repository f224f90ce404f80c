package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.NodeSnapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process that is stopped for longer than its timeout while it runs a task. */
class PausedProcessTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final TestDatabase database = SharedServer.freshDatabase();
  private PostgresStore store;
  private Holdfast client;
  private NodeProcess process;

  @BeforeEach
  void setUp() throws IOException {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .build());
    client = HoldfastClient.on(store);
    process = new NodeProcess(PausedProgram.class, database);
  }

  @AfterEach
  void tearDown() {
    process.close();
    client.close();
    store.close();
  }

  /** Returns the stored incarnations of the paused node. */
  private List<UUID> incarnations(boolean alive) {
    return store.nodes().list().stream()
        .filter(node -> node.registration().id().equals(PausedProgram.ID) && node.alive() == alive)
        .map(NodeSnapshot::registration)
        .map(registration -> registration.incarnation())
        .toList();
  }

  /** Returns a node with a long timeout that takes over from nodes that are silent for theirs. */
  private HoldfastNode survivor() {
    return HoldfastNode.on(store)
        .id("survivor")
        .liveness(settings -> settings.sweep(LivenessSettings.FAST_FAILOVER.sweep()))
        .handle(
            PausedProgram.TASK,
            (nap, context) -> "by the survivor under token " + context.fencingToken())
        .start();
  }

  @Test
  void aNodePausedForTooLongIsInterruptedWritesNothingAndStartsOver() throws Exception {
    Enqueued<String> job =
        client.enqueue(PausedProgram.TASK, new PausedProgram.Nap(Duration.ofHours(1)));
    process.awaitLine("STARTED");
    UUID old = incarnations(true).getFirst();

    process.signal("STOP");
    try (HoldfastNode survivor = survivor()) {
      assertThat(client.await(job, SOON)).isEqualTo("by the survivor under token 2");
      assertThat(incarnations(false)).containsExactly(old);
      assertThat(survivor.isReady()).isTrue();
    }

    process.signal("CONT");
    process.awaitLine("INTERRUPTED");
    await().atMost(SOON).until(() -> !incarnations(true).isEmpty());
    assertThat(incarnations(true)).hasSize(1).doesNotContain(old);
    await()
        .atMost(SOON)
        .until(() -> {
          process.tell("how many?");
          return process.awaitLine("REJECTED ").equals("REJECTED 1");
        });

    assertThat(process.lines()).doesNotContain("EFFECT").containsOnlyOnce("STARTED");
    Job ended = client.find(job.id()).orElseThrow();
    assertThat(ended.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(ended.result()).contains("by the survivor");
    assertThat(ended.failures())
        .extracting(FailedAttempt::node, FailedAttempt::code)
        .containsExactly(tuple(PausedProgram.ID, FailureCode.WORKER_CRASHED));
  }
}
