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
    TestDatabase database = SharedServer.freshDatabase();
    try {
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setUrl(database.jdbcUrl());
      dataSource.setUser(database.user());
      dataSource.setPassword(database.password());
      return new StoreOfTest(
          PostgresStore.connect(
              PostgresSettings.builder(database.jdbcUrl())
                  .user(database.user())
                  .password(database.password())
                  .build()),
          dataSource,
          database::close);
    } catch (RuntimeException | Error failure) {
      database.close();
      throw failure;
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
