package dev.holdfast.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.postgres.db.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class MigrationsTest {
  private final TestDatabase database = SharedServer.freshDatabase();
  private final AtomicInteger connections = new AtomicInteger();

  private final PGSimpleDataSource source =
      new PGSimpleDataSource() {
        @Override
        public Connection getConnection() throws SQLException {
          connections.incrementAndGet();
          return super.getConnection();
        }
      };

  @BeforeEach
  void migrateOnce() {
    source.setUrl(database.jdbcUrl());
    source.setUser(database.user());
    source.setPassword(database.password());
    migrate();
    connections.set(0);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aCurrentSchemaIsRecognisedWithOneConnection() {
    migrate();

    assertThat(connections).hasValue(1);
  }

  @Test
  void aMissingPartitionIsCreatedAlthoughTheSchemaIsCurrent() throws SQLException {
    execute(
        """
        do $$ declare today text := to_char(now() at time zone 'UTC', 'YYYYMMDD');
        begin execute 'drop table holdfast.job_history_' || today; end $$
        """);

    migrate();

    execute(
        """
        do $$ declare today text := to_char(now() at time zone 'UTC', 'YYYYMMDD');
        begin execute 'select from holdfast.job_history_' || today; end $$
        """);
  }

  @Test
  void aMigrationThatIsMissingIsAppliedAgain() throws SQLException {
    execute(
        "delete from holdfast.schema_version where version = '" + SchemaScripts.NEWEST + "'",
        "drop table holdfast.token_epoch cascade");

    migrate();

    execute("select from holdfast.token_epoch");
  }

  private void migrate() {
    new Migrations(Database.own(source, "holdfast"), "the test database").migrate();
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
