package dev.holdfast.examples;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * An empty database on an embedded PostgreSQL server, which stops when the program ends. Your own
 * program connects to your database: {@code PostgresStore.connect(PostgresSettings.of(url))}.
 */
record ExampleDatabase(TestDatabase database, Store store) implements AutoCloseable {

  static ExampleDatabase create() {
    TestDatabase database = SharedServer.freshDatabase();
    PostgresSettings settings =
        PostgresSettings.builder(database.jdbcUrl())
            .user(database.user())
            .password(database.password())
            .build();
    return new ExampleDatabase(database, PostgresStore.connect(settings));
  }

  Connection connect() throws SQLException {
    return database.connect();
  }

  @Override
  public void close() {
    store.close();
    database.close();
  }
}
