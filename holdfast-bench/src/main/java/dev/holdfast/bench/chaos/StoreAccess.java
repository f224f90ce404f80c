package dev.holdfast.bench.chaos;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.cli.database.Address;
import dev.holdfast.postgres.PostgresStore;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a process reaches its tables.
 *
 * @param schema the schema of the tables
 * @param pooled whether connections come from an external pool, as behind PgBouncer, which rejects
 *     the settings that the store's own connections pass
 */
public record StoreAccess(Address address, String schema, boolean pooled) {
  private static final String URL = "HOLDFAST_DATABASE_URL";
  private static final String USER = "HOLDFAST_DATABASE_USER";
  private static final String PASSWORD = "HOLDFAST_DATABASE_PASSWORD";
  private static final String SCHEMA = "HOLDFAST_SCHEMA";
  private static final String POOLED = "HOLDFAST_POOLED";

  /** More than a store and its node use at the same time. */
  private static final int POOL_SIZE = 12;

  /** A store, and the pool that it uses. */
  public record Opened(PostgresStore store, @Nullable HikariDataSource pool)
      implements AutoCloseable {
    @Override
    public void close() {
      store.close();
      if (pool != null) {
        pool.close();
      }
    }
  }

  public Opened open() {
    if (!pooled) {
      return new Opened(PostgresStore.connect(address.settings(schema).build()), null);
    }
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(address.url());
    pool.setUsername(address.user());
    pool.setPassword(address.password());
    pool.setMaximumPoolSize(POOL_SIZE);
    pool.setMinimumIdle(1);
    return new Opened(PostgresStore.on(pool, schema), pool);
  }

  /** Reads what {@link #into} has written. */
  static StoreAccess from(Map<String, String> environment) {
    return new StoreAccess(
        new Address(
            environment.getOrDefault(URL, ""), environment.get(USER), environment.get(PASSWORD)),
        environment.getOrDefault(SCHEMA, ""),
        Boolean.parseBoolean(environment.get(POOLED)));
  }

  /** Writes this to the environment of a process: every user can read the arguments of one. */
  void into(Map<String, String> environment) {
    environment.put(URL, address.url());
    put(environment, USER, address.user());
    put(environment, PASSWORD, address.password());
    environment.put(SCHEMA, schema);
    environment.put(POOLED, Boolean.toString(pooled));
  }

  private static void put(Map<String, String> environment, String name, @Nullable String value) {
    if (value == null) {
      environment.remove(name);
    } else {
      environment.put(name, value);
    }
  }
}
