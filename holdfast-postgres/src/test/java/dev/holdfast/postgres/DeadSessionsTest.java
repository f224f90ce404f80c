package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Database sessions that outlive their node, in the middle of a transaction. */
class DeadSessionsTest {
  /** The payload of the jobs of this test. */
  record Nothing() {}

  private static final TaskType<Nothing, Void> SEND = TaskType.of(Drafts.TASK, Nothing.class);

  private PostgresFixture fixture;
  private PostgresStore dead;
  private PostgresStore alive;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
    // The longest valid name: the database must not truncate it.
    dead = PostgresStore.connect(fixture.settings().name("x".repeat(26)).build());
    alive = PostgresStore.connect(fixture.settings().name("alive").build());
  }

  @AfterEach
  void close() {
    alive.close();
    dead.close();
    fixture.close();
  }

  @Test
  void aSweepTerminatesSessionsThatLockJobsRecoversTheJobsAndSparesOtherSessions()
      throws SQLException {
    NewJob job = Drafts.job();
    dead.intake().enqueue(List.of(job));
    Worker holder = Worker.join(dead, "node-1", Drafts.QUEUE, Drafts.TASK);
    assertThat(holder.claim(1)).hasSize(1);
    try (Connection stuck = inTransaction(sessionOf("node-1"));
        Connection unrelated = inTransaction("psql");
        Statement lock = stuck.createStatement()) {
      lock.execute("select from holdfast.job for update");
      alive.nodes().markDead(holder.incarnation(), 0, Duration.ofMinutes(1));

      try (HoldfastNode node =
              HoldfastNode.on(alive)
                  .id("node-2")
                  .liveness(LivenessSettings.FAST_FAILOVER)
                  .queue(Drafts.QUEUE, 1)
                  .handle(SEND, (nothing, context) -> null)
                  .start();
          Holdfast holdfast = HoldfastClient.on(alive);
          Connection living = inTransaction(sessionOf("node-2"))) {
        await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> holdfast.find(job.id()).orElseThrow().state() == JobState.SUCCEEDED);

        assertThat(node.isReady()).isTrue();
        assertThat(stuck.isValid(5)).isFalse();
        assertThat(living.isValid(5)).isTrue();
        assertThat(unrelated.isValid(5)).isTrue();
      }
    }
  }

  @Test
  void sessionsOfAProcessThatHasStartedOverAreSpared() throws SQLException {
    Worker before = Worker.join(dead, "node-1", Drafts.QUEUE, Drafts.TASK);
    Worker now = Worker.join(dead, "node-1", Drafts.QUEUE, Drafts.TASK);
    alive.nodes().markDead(before.incarnation(), 0, Duration.ofMinutes(1));
    try (Connection shared = inTransaction(sessionOf("node-1"))) {
      assertThat(alive.recovery().endSessions(before.incarnation())).isZero();
      assertThat(shared.isValid(5)).isTrue();

      alive.nodes().markDead(now.incarnation(), 0, Duration.ofMinutes(1));

      assertThat(alive.recovery().endSessions(before.incarnation())).isEqualTo(1);
    }
  }

  @Test
  void aProcessThatDeclaresItsOwnNodeDeadKeepsItsSessions() throws SQLException {
    Worker own = Worker.join(dead, "node-1", Drafts.QUEUE, Drafts.TASK);
    dead.nodes().markDead(own.incarnation(), 0, Duration.ofMinutes(1));
    try (Connection shared = inTransaction(sessionOf("node-1"))) {
      assertThat(dead.recovery().endSessions(own.incarnation())).isZero();
      assertThat(shared.isValid(5)).isTrue();
    }
  }

  private String sessionOf(String node) {
    return fixture.ask("select min(session) from holdfast.node where id = '%s'".formatted(node));
  }

  private Connection inTransaction(String session) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", fixture.database().user());
    properties.setProperty("password", fixture.database().password());
    properties.setProperty("ApplicationName", session);
    Connection connection = DriverManager.getConnection(fixture.database().jdbcUrl(), properties);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("select 1");
    }
    return connection;
  }
}
