package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What happens when a program connects to a database for the first time. */
class MigrationTest {
  private TestDatabase database;

  @BeforeEach
  void open() {
    database = SharedServer.freshDatabase();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void manyNodesMayStartConcurrentlyOnAnEmptyDatabase() throws Exception {
    int nodes = 6;
    CyclicBarrier start = new CyclicBarrier(nodes);
    try (ExecutorService threads = Executors.newFixedThreadPool(nodes)) {
      List<Future<?>> starting = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        starting.add(
            threads.submit(() -> {
              start.await();
              PostgresStore.connect(settings().build()).close();
              return null;
            }));
      }
      for (Future<?> node : starting) {
        node.get();
      }
    }

    assertThat(ask("select count(*) from holdfast.schema_version where version = '1'"))
        .isEqualTo("1");
  }

  @Test
  void aMigrationMayTakeLongerThanAStatement() throws SQLException {
    letSequencesTakeLongerThanASecond();

    PostgresStore.connect(settings().statementTimeout(Duration.ofSeconds(1)).build()).close();

    assertThat(ask("select count(*) from holdfast.job")).isEqualTo("0");
  }

  @Test
  void aMigrationOnAnExternalPoolMayTakeLongerThanAStatement() throws SQLException {
    letSequencesTakeLongerThanASecond();
    execute(
        "alter database \"%s\" set statement_timeout = '1s'".formatted(database.name()),
        "alter database \"%s\" set idle_in_transaction_session_timeout = '1s'"
            .formatted(database.name()));
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.jdbcUrl());
    source.setUser(database.user());
    source.setPassword(database.password());

    PostgresStore.on(source, "holdfast").close();

    assertThat(ask("select count(*) from holdfast.job")).isEqualTo("0");
  }

  private void letSequencesTakeLongerThanASecond() throws SQLException {
    execute(
        """
        create function public.dawdle() returns event_trigger language plpgsql as
          'begin perform pg_sleep(1.3); end'
        """,
        """
        create event trigger dawdle on ddl_command_start when tag in ('CREATE SEQUENCE')
          execute function public.dawdle()
        """);
  }

  @Test
  void schemasInOneDatabaseAreIndependent() throws SQLException {
    try (PostgresStore one = PostgresStore.connect(settings().schema("one").build());
        PostgresStore two = PostgresStore.connect(settings().schema("two").build())) {
      one.intake().enqueue(List.of(Drafts.job()));

      assertThat(ask("select count(*) from one.job")).isEqualTo("1");
      assertThat(ask("select count(*) from two.job")).isEqualTo("0");
      assertThat(two.queues().list()).isEmpty();
    }
  }

  @Test
  void aSchemaMayContainOtherTables() throws SQLException {
    execute("create schema shared", "create table shared.mine (id int)");

    PostgresStore.connect(settings().schema("shared").build()).close();

    assertThat(ask("select count(*) from shared.job")).isEqualTo("0");
  }

  @Test
  void aSchemaOfANewerVersionIsRejectedAndNotChanged() throws SQLException {
    PostgresStore.connect(settings().build()).close();
    execute(
        """
        insert into holdfast.schema_version
          (installed_rank, version, description, type, script, installed_by, execution_time, success)
        values (99, '99', 'the future', 'SQL', 'V99__the_future.sql', 'somebody', 1, true)
        """);

    assertThatThrownBy(() -> PostgresStore.connect(settings().build()))
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED))
        .hasMessageContaining("Schema holdfast")
        .hasMessageContaining("version 99, which a newer version of Holdfast created")
        .hasMessageContaining("upgrade this program");
  }

  @Test
  void aMissingDatabaseIsReportedInOneSentence() throws Exception {
    int freePort;
    try (ServerSocket socket = new ServerSocket(0)) {
      freePort = socket.getLocalPort();
    }
    String url = "jdbc:postgresql://127.0.0.1:" + freePort + "/app?password=secret";

    assertThatThrownBy(() -> PostgresStore.connect(PostgresSettings.of(url)))
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE))
        .hasMessageStartingWith("The database at jdbc:postgresql://127.0.0.1:" + freePort + "/app")
        .hasMessageNotContaining("secret");
  }

  @Test
  void aWrongPasswordIsNotRetried() {
    assertThatThrownBy(() -> PostgresStore.connect(settings().password("wrong").build()))
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED))
        .hasMessageContaining("Check the user, the password");
  }

  @Test
  void aNodeOnAMigratedSchemaWritesNothing() throws SQLException {
    PostgresStore.connect(settings().build()).close();
    execute(
        "create role reader login password 'reader'",
        "grant usage on schema holdfast to reader",
        "grant select, insert, update, delete on all tables in schema holdfast to reader",
        "grant usage on all sequences in schema holdfast to reader");
    try {
      PostgresStore.connect(settings().user("reader").password("reader").build()).close();
    } finally {
      execute("drop owned by reader", "drop role reader");
    }
  }

  private PostgresSettings.Builder settings() {
    return PostgresSettings.builder(database.jdbcUrl())
        .user(database.user())
        .password(database.password());
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private String ask(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
