package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that are validated without a statement and detect that they are dead. */
class QuietPoolTest {
  private PostgresFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void validationSendsNoStatement() throws SQLException {
    try (Connection connection = connections().single().getConnection()) {
      connection.createStatement().execute("select 'mine'");

      assertThat(connection.isValid(1)).isTrue();

      assertThat(
              fixture.ask(
                  "select query from pg_stat_activity where application_name = 'quiet' and datname"
                      + " = current_database()"))
          .isEqualTo("select 'mine'");
    }
  }

  @Test
  void sessionsAreDroppedBeforeTheShortestTimeoutIsOver() throws SQLException {
    try (Connection connection = connections().single().getConnection()) {
      assertThat(setting(connection, "idle_in_transaction_session_timeout")).isEqualTo("3s");
      assertThat(setting(connection, "tcp_user_timeout")).isEqualTo("3000");
      assertThat(setting(connection, "statement_timeout")).isEqualTo("30s");
    }
  }

  @Test
  void connectionsForMigrationsHaveNoTimeouts() throws SQLException {
    try (Connection connection = connections().migrating().getConnection()) {
      assertThat(setting(connection, "idle_in_transaction_session_timeout")).isEqualTo("0");
      assertThat(setting(connection, "tcp_user_timeout")).isEqualTo("0");
      assertThat(setting(connection, "statement_timeout")).isEqualTo("0");
    }
  }

  @Test
  void aConnectionThatTheServerEndedIsNotValid() throws SQLException {
    try (Connection connection = connections().single().getConnection()) {
      assertThat(fixture.endSessions("quiet")).isEqualTo(1);

      await().atMost(Duration.ofSeconds(20)).until(() -> !connection.isValid(1));
    }
  }

  @Test
  void aStoreSurvivesTheLossOfAllItsConnections() {
    NodeRegistration registration =
        Worker.registration("node-1", Set.of("mail"), Set.of("mail::send"));
    fixture.store().nodes().register(registration);
    fixture.store().intake().enqueue(List.of(Drafts.job()));

    // One of the pool, and the heartbeat connection.
    assertThat(fixture.endSessions("holdfast-%")).isGreaterThanOrEqualTo(2);

    // The pool validates a connection that has not been used for half a second.
    await()
        .pollDelay(Duration.ofMillis(600))
        .atMost(Duration.ofSeconds(20))
        .until(() -> fixture.store().nodes().beat(registration.incarnation(), 0).isPresent());
    assertThat(fixture.store().intake().enqueue(List.of(Drafts.job()))).hasSize(1);
  }

  @Test
  void aHeartbeatIsOneStatementOnASeparateConnection() {
    UUID incarnation = registered();
    fixture.store().nodes().beat(incarnation, 0);
    String before = beats();

    fixture.store().nodes().beat(incarnation, 0);

    assertThat(before).isEqualTo("1");
    assertThat(beats()).isEqualTo("1");
    assertThat(fixture.ask("select beat from holdfast.node")).isEqualTo("2");
  }

  @Test
  void anExhaustedPoolDoesNotStopHeartbeats() throws Exception {
    UUID incarnation = registered();
    PostgresSettings small = fixture.settings().poolSize(2).build();
    try (PostgresStore store = PostgresStore.connect(small);
        Connection locker = fixture.database().connect()) {
      locker.setAutoCommit(false);
      locker.createStatement().execute("lock table holdfast.job");
      List<Thread> stuck =
          List.of(
              Thread.startVirtualThread(() -> store.intake().enqueue(List.of(Drafts.job()))),
              Thread.startVirtualThread(() -> store.intake().enqueue(List.of(Drafts.job()))));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() ->
              fixture
                  .ask(
                      "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and"
                          + " datname = current_database()")
                  .equals("2"));

      store.nodes().leave(incarnation);
      locker.rollback();

      assertThat(fixture.ask("select state from holdfast.node")).isEqualTo("DEAD");
      for (Thread thread : stuck) {
        thread.join();
      }
    }
  }

  private Connections connections() {
    return new Connections(fixture.settings().build(), "quiet");
  }

  private static String setting(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("show " + name)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private UUID registered() {
    NodeRegistration registration =
        Worker.registration("node-1", Set.of("mail"), Set.of("mail::send"));
    fixture.store().nodes().register(registration);
    return registration.incarnation();
  }

  private String beats() {
    return fixture.ask(
        "select count(*) from pg_stat_activity where query like '%beat = beat + 1%' and pid <>"
            + " pg_backend_pid() and datname = current_database()");
  }
}
