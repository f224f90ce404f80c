package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Upkeep;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What roles with few privileges can do, and which errors they get. */
class PrivilegesTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final TaskType<String, String> ECHO =
      TaskType.of("test::echo", String.class, String.class);

  private TestDatabase database;

  @BeforeEach
  void createARoleThatMayOnlyConnect() throws SQLException {
    database = SharedServer.freshDatabase();
    execute("create role app login password 'app'", "create role dba login password 'dba'");
  }

  @AfterEach
  void dropRoles() throws SQLException {
    execute("drop owned by app cascade", "drop role app");
    execute("drop owned by dba cascade", "drop role dba");
    database.close();
  }

  @Test
  void aRoleThatMayNotCreateTheSchemaIsToldWhatToGrant() throws SQLException {
    assertThatThrownBy(() -> connect("app"))
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED))
        .hasMessageContaining("Role app may not create schema holdfast")
        .hasMessageContaining(
            "grant create on database \"%s\" to \"app\"".formatted(database.name()))
        .hasMessageContaining("docs/database.md")
        .hasMessageContaining("Nothing was written")
        .hasMessageNotContaining("Flyway");

    execute("grant create on database \"%s\" to \"app\"".formatted(database.name()));
    connect("app").close();
    assertThat(ask("select nspowner::regrole from pg_namespace where nspname = 'holdfast'"))
        .isEqualTo("app");
  }

  @Test
  void aRoleThatMayNotUseTheTablesIsToldWhatToGrantAndThenWorks() throws Exception {
    migrateAsDba();

    assertThatThrownBy(() -> connect("app"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("permission denied for schema holdfast")
        .hasMessageContaining("grant usage on schema holdfast to \"app\"")
        .hasMessageNotContaining("Flyway");
    execute("grant usage on schema holdfast to \"app\"");
    execute("grant select on all tables in schema holdfast to \"app\"");
    String tables =
        ask(
            """
            select string_agg(relname, ' ') from pg_class
            where relnamespace = 'holdfast'::regnamespace and relkind in ('r', 'p', 'S')
              and relname <> 'schema_version' and relname !~ '\\d{8}$'
            """);
    assertThatThrownBy(() -> connect("app"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("Role app may not read and write ")
        .hasMessageContainingAll(tables.split(" "));

    grantRowsToApp();
    connect("app").close();
  }

  @Test
  void aRoleThatOnlyReadsAndWritesRowsRunsANode() throws Exception {
    migrateAsDba();
    grantRowsToApp();
    // As after a few days without a connection of the owner.
    execute(
        """
        do $$ declare p text; begin
          for p in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'holdfast.job_history'::regclass and c.relname ~ '\\d{8}$'
          loop execute 'drop table holdfast.' || p; end loop;
        end $$
        """);
    try (Lines lines = Lines.of("dev.holdfast.postgres");
        PostgresStore store = connect("app");
        HoldfastNode node =
            HoldfastNode.on(store)
                .application("test")
                .recurring(
                    Schedule.named("often").runs(ECHO, "often").every(Duration.ofDays(1)).build())
                .handle(ECHO, (text, context) -> text)
                .start()) {
      var job = node.client().enqueue(ECHO, "mine");
      assertThat(node.client().await(job, SOON)).isEqualTo("mine");
      assertThat(node.client().find(job.id()).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED);
      assertThat(node.locks().tryLock("mine", Duration.ofMinutes(1)).toOptional()).isPresent();
      store.upkeep().tidy(new Upkeep.Retention(Duration.ofDays(14), Duration.ofDays(90)));

      assertThat(ask("select count(*) from holdfast.job_history_default")).isNotEqualTo("0");
      assertThat(lines.texts(Level.WARN))
          .singleElement()
          .asString()
          .contains("may not create the daily partitions of history in schema holdfast")
          .contains("grant the owner's role to this one");
    }
  }

  @Test
  void aRoleThatWasGrantedTheOwnersRoleCreatesPartitions() throws Exception {
    migrateAsDba();
    execute("grant dba to app");
    String today = "'holdfast.job_history_' || to_char(now() at time zone 'UTC', 'YYYYMMDD')";
    execute("do $$ begin execute 'drop table ' || %s; end $$".formatted(today));

    connect("app").close();

    assertThat(ask("select to_regclass(%s) is not null".formatted(today))).isEqualTo("t");
  }

  @Test
  void aFirstStartLogsOneLine() throws SQLException {
    try (Lines flyway = Lines.of("org.flywaydb");
        Lines ours = Lines.of("dev.holdfast.postgres")) {
      execute("grant create on database \"%s\" to app".formatted(database.name()));
      connect("app").close();
      connect("app").close();

      assertThat(flyway.all()).isEmpty();
      assertThat(ours.texts(Level.INFO))
          .singleElement()
          .asString()
          .startsWith("Schema holdfast of " + PostgresSettings.of(database.jdbcUrl()).place())
          .contains("is now at version");
    }
  }

  private void migrateAsDba() throws SQLException {
    execute("grant create on database \"%s\" to dba".formatted(database.name()));
    connect("dba").close();
  }

  private void grantRowsToApp() throws SQLException {
    execute(
        "grant usage on schema holdfast to \"app\"",
        "grant select, insert, update, delete on all tables in schema holdfast to \"app\"",
        "grant usage on all sequences in schema holdfast to \"app\"");
  }

  private PostgresStore connect(String role) {
    return PostgresStore.connect(
        PostgresSettings.builder(database.jdbcUrl()).user(role).password(role).build());
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
