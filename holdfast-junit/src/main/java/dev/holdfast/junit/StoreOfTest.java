package dev.holdfast.junit;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.InstantSource;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The store of one test, and what to do with it afterwards.
 *
 * @param dataSource its database; null if it has none, or none that is known
 * @param onClose releases what the store is built on
 */
record StoreOfTest(Store store, @Nullable DataSource dataSource, Runnable onClose)
    implements AutoCloseable {

  static StoreOfTest of(Store store) {
    return new StoreOfTest(store, null, () -> {});
  }

  /** Returns a store in memory on the clock of the machine. */
  static StoreOfTest inMemory() {
    return of(new InMemoryStore(InstantSource.system()));
  }

  /** Returns a store in a new database on the server that all tests of this JVM share. */
  static StoreOfTest onPostgres() {
    TestDatabase database = SharedServer.copyOf(Migrated.DATABASE);
    try {
      return new StoreOfTest(connect(database), dataSource(database), database::close);
    } catch (RuntimeException | Error failure) {
      database.close();
      throw failure;
    }
  }

  private static PostgresStore connect(TestDatabase database) {
    return PostgresStore.connect(
        PostgresSettings.builder(database.jdbcUrl())
            .user(database.user())
            .password(database.password())
            .build());
  }

  private static DataSource dataSource(TestDatabase database) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(database.jdbcUrl());
    dataSource.setUser(database.user());
    dataSource.setPassword(database.password());
    return dataSource;
  }

  /** Migrating takes longer than most tests, so it is done once. */
  private static final class Migrated {
    static final TestDatabase DATABASE = migrate();

    private static TestDatabase migrate() {
      TestDatabase database = SharedServer.freshDatabase();
      connect(database).close();
      return database;
    }
  }

  @Override
  public void close() {
    try {
      store.close();
    } finally {
      onClose.run();
    }
  }
}
