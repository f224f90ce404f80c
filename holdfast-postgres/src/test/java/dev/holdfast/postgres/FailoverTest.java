package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A failover behind a constant address: existing sessions stay on a server that has become
 * read-only, and new sessions reach a server that accepts writes.
 *
 * <p>One server plays both parts. The configuration file makes existing sessions read-only, and a
 * setting of the role, which applies to new sessions, exempts those.
 */
class FailoverTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final TaskType<String, String> ECHO =
      TaskType.of("test::echo", String.class, String.class);

  private EmbeddedPostgres server;

  @BeforeEach
  void start() {
    server = EmbeddedPostgres.temporary().start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aNodeLeavesAServerThatHasBecomeReadOnly(boolean givenPool) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (HikariDataSource pool = pool();
        PostgresStore store =
            givenPool
                ? PostgresStore.on(pool, "holdfast")
                : PostgresStore.connect(settings().build());
        HoldfastNode node =
            HoldfastNode.on(store)
                .liveness(settings ->
                    settings
                        .heartbeat(Duration.ofMillis(200))
                        .timeout(Duration.ofSeconds(8))
                        .sweep(Duration.ofSeconds(1)))
                .handle(
                    ECHO,
                    (text, context) -> {
                      if (text.equals("long")) {
                        end.await();
                      }
                      return text;
                    })
                .start()) {
      JobId before = node.client().enqueue(ECHO, "long").id();
      await().atMost(SOON).until(() -> ask("select state from holdfast.job").equals("RUNNING"));
      UUID incarnation = node.incarnation();

      makeExistingSessionsReadOnly();

      long beat = beat(incarnation);
      await().atMost(SOON).until(() -> beat(incarnation) > beat + 20);
      assertThat(node.client().await(node.client().enqueue(ECHO, "new"), SOON)).isEqualTo("new");
      end.countDown();
      assertThat(node.client().await(before, String.class, SOON)).isEqualTo("long");
      assertThat(node.incarnation()).isEqualTo(incarnation);
    }
  }

  @Test
  void aNodeThatWasFencedMeanwhileRegistersOnTheNewServer() throws Exception {
    try (PostgresStore store = PostgresStore.connect(settings().build())) {
      NodeRegistration registration =
          Worker.registration("node-1", Set.of("mail"), Set.of("mail::send"));
      store.nodes().register(registration);
      makeExistingSessionsReadOnly();

      NodeRegistration successor =
          Worker.registration("node-1", Set.of("mail"), Set.of("mail::send"));
      assertThatThrownBy(() -> register(store, successor, registration))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("read-only");
      register(store, successor, registration);

      assertThat(ask("select count(*) from holdfast.node where state = 'ALIVE'")).isEqualTo("1");
    }
  }

  private static void register(
      PostgresStore store, NodeRegistration registration, NodeRegistration before) {
    store.nodes().register(registration, Modes.FULL, before.incarnation());
  }

  /** Not every data source can discard connections; this one is not a pool. */
  @Test
  void connectionsOfAnySourceAreDiscarded() throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.jdbcUrl());
    source.setUser(server.user());
    source.setPassword(server.password());
    try (PostgresStore store = PostgresStore.on(source, "holdfast")) {
      NodeRegistration registration =
          Worker.registration("node-1", Set.of("mail"), Set.of("mail::send"));
      store.nodes().register(registration);
      makeExistingSessionsReadOnly();

      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(() -> store.nodes().beat(registration.incarnation(), 0).isPresent());
    }
  }

  private void makeExistingSessionsReadOnly() throws SQLException {
    try (Connection existing = server.connect("postgres");
        Statement statement = existing.createStatement()) {
      statement.execute(
          "alter role %s set default_transaction_read_only = off".formatted(server.user()));
      statement.execute("alter system set default_transaction_read_only = on");
      statement.execute("select pg_reload_conf()");
      await()
          .atMost(SOON)
          .until(() -> value(existing, "show default_transaction_read_only").equals("on"));
    }
    assertThat(ask("show default_transaction_read_only")).isEqualTo("off");
  }

  private long beat(UUID incarnation) {
    return Long.parseLong(
        ask(
            "select beat from holdfast.node where incarnation = '%s' and state = 'ALIVE'"
                .formatted(incarnation)));
  }

  private String ask(String sql) {
    try (Connection connection = server.connect("postgres")) {
      return value(connection, sql);
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "nothing";
    }
  }

  private PostgresSettings.Builder settings() {
    return PostgresSettings.builder(server.jdbcUrl())
        .user(server.user())
        .password(server.password());
  }

  private HikariDataSource pool() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(server.jdbcUrl());
    pool.setUsername(server.user());
    pool.setPassword(server.password());
    pool.setMaximumPoolSize(6);
    pool.setMinimumIdle(0);
    return pool;
  }
}
