package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Upkeep on PostgreSQL, with several nodes and many dead nodes. */
class UpkeepTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Retention RETENTION =
      new Retention(Duration.ofDays(10), Duration.ofDays(30));

  private final PostgresFixture fixture = new PostgresFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aStepThatAnotherNodeIsRunningIsSkipped() throws SQLException {
    execute(
        """
        insert into holdfast.unique_ledger (task, key, job_id, expires_at)
        values ('t', 'k', gen_random_uuid(), now() - interval '1 day')
        """);
    String keys = "select count(*) from holdfast.unique_ledger";
    try (Connection other = fixture.database().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(
          """
          select pg_advisory_xact_lock(
            hashtextextended('holdfast upkeep holdfast: delete expired unique keys', 0))
          """);

      fixture.store().upkeep().tidy(RETENTION);

      assertThat(number(keys)).as("while another node does it").isEqualTo(1);
      other.rollback();
    }
    fixture.store().upkeep().tidy(RETENTION);
    assertThat(number(keys)).isZero();
  }

  @Test
  void aJobOfANodeThatDiedDaysAgoIsRecovered() throws SQLException {
    PostgresStore store = fixture.store();
    try (Holdfast client = HoldfastClient.on(store)) {
      Enqueued<String> job =
          client.enqueue(CrashProgram.TASK, new CrashProgram.Work(CrashProgram.Kind.HARMLESS));
      Worker dead = Worker.join(store, "dead", "default", CrashProgram.TASK.name());
      assertThat(dead.claim(1)).hasSize(1);
      assertThat(store.nodes().markDead(dead.incarnation(), 0, Duration.ofMinutes(2))).isTrue();
      for (int days = 0; days < 3; days++) {
        fixture.passTime(Duration.ofHours(25));
        store.upkeep().tidy(RETENTION);
      }
      assertThat(client.find(job.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);

      try (HoldfastNode sweeper =
          HoldfastNode.on(store)
              .mode(NodeMode.TRIGGER_ONLY)
              .liveness(LivenessSettings.FAST_FAILOVER)
              .start()) {
        await()
            .atMost(SOON)
            .until(() -> client.find(job.id()).orElseThrow().state() == JobState.READY);
        assertThat(sweeper.isReady()).isTrue();
      }
    }
    store.upkeep().tidy(RETENTION);
    assertThat(number("select count(*) from holdfast.node where id = 'dead'")).isZero();
  }

  @Test
  void deadNodesWithoutJobsAreNotCheckedAgainAndTheirLateClaimsAreFound() throws SQLException {
    PostgresStore store = fixture.store();
    Worker dead = Worker.join(store, "dead", "default", "t");
    dead.leave();
    String unswept = "select count(*) from holdfast.node where state = 'DEAD' and not swept";
    store.upkeep().tidy(RETENTION);
    assertThat(number(unswept)).as("it has only just died").isEqualTo(1);
    fixture.passTime(Duration.ofMinutes(11));
    store.upkeep().tidy(RETENTION);
    assertThat(number(unswept)).isZero();

    // Like a claim that was in progress all the time.
    execute(
        """
        insert into holdfast.job (id, incarnation, token, claim_no, created_at, run_at, rank,
                                  priority, state, queue, task)
        values (gen_random_uuid(), '%s', 1, 7, now(), now(), now(), 4, 'CLAIMED', 'default', 't')
        """
            .formatted(dead.incarnation()));
    store.upkeep().tidy(RETENTION);

    assertThat(
            store
                .nodes()
                .look(Worker.registration("other", Set.of(), Set.of()).incarnation(), 1, true)
                .dead())
        .extracting(found -> found.incarnation())
        .containsExactly(dead.incarnation());
  }
}
