package dev.holdfast.server.control;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.StoreException;
import dev.holdfast.postgres.PoolUse;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlFailures;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;

/** The control schema of an installation. */
public final class ControlDatabase implements AutoCloseable {
  private static final String LOCATION = "classpath:dev/holdfast/server/control";

  /** Tables by which a control schema is recognised. All versions have them. */
  public static final List<String> TABLES =
      List.of("tenant", "api_key", "audit", "idempotency", "secret", "schema_version");

  /** The version of the newest migration. */
  static final int NEWEST = 8;

  private static final Set<String> NO_TABLE = Set.of("42P01", "3F000");
  private static final Duration STATEMENT = Duration.ofSeconds(10);
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final int POOL_SIZE = 8;
  private static final int SECRET_BYTES = 32;

  private final HikariDataSource pool;
  private final Database database;

  private ControlDatabase(HikariDataSource pool, String schema) {
    this.pool = pool;
    this.database = Database.external(pool, schema, STATEMENT);
  }

  /**
   * Connects to a database and migrates its control schema. Programs that start at the same time
   * wait for each other.
   *
   * @throws StoreException if the database cannot be reached or the schema cannot be migrated
   */
  public static ControlDatabase connect(DatabaseAddress address, String schema) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("holdfast-control-pool");
    config.setJdbcUrl(address.url());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.addDataSourceProperty("ApplicationName", "holdfast-control");
    config.addDataSourceProperty("connectTimeout", String.valueOf(CONNECT.toSeconds()));
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.setMaximumPoolSize(POOL_SIZE);
    config.setMinimumIdle(1);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(CONNECT.toMillis());
    HikariDataSource pool = new HikariDataSource(config);
    try {
      migrate(pool, schema);
    } catch (RuntimeException failure) {
      pool.close();
      throw failure;
    }
    return new ControlDatabase(pool, schema);
  }

  private static void migrate(HikariDataSource pool, String schema) {
    // Flyway takes half a second to find out, which most starts can save.
    int version = version(pool, schema);
    requireKnown(schema, version, NEWEST);
    if (version == NEWEST) {
      return;
    }
    try {
      Flyway.configure()
          .dataSource(pool)
          .schemas(schema)
          .defaultSchema(schema)
          .locations(LOCATION)
          .table("schema_version")
          .load()
          .migrate();
    } catch (FlywayException failure) {
      throw SqlFailures.during("migrate schema " + schema, failure);
    }
  }

  /**
   * Refuses tables that a newer program has created.
   *
   * @param version the version of the tables
   * @param newest the newest version that this program knows
   */
  public static void requireKnown(String schema, int version, int newest) {
    if (version > newest) {
      throw new StoreException(
          StoreException.Outcome.REFUSED,
          "Schema %s has version %d, which a newer version of Holdfast created, and this program knows %d: upgrade this program. Nothing was written."
              .formatted(schema, version, newest),
          null);
    }
  }

  /** Returns the version of the schema; 0 if there is none. */
  private static int version(HikariDataSource pool, String schema) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select coalesce(max(version::int), 0) from \"%s\".schema_version where success"
                    .formatted(schema.replace("\"", "\"\"")))) {
      row.next();
      return row.getInt(1);
    } catch (SQLException failure) {
      if (NO_TABLE.contains(String.valueOf(failure.getSQLState()))) {
        return 0;
      }
      throw SqlFailures.during("read the version of schema " + schema, failure);
    }
  }

  /** Work with statements of the control schema, which name tables as {@code ${schema}.tenant}. */
  @FunctionalInterface
  public interface Work<T> {
    T with(Statements statements) throws SQLException;
  }

  /** Runs statements, each in its own transaction. */
  public <T> T run(String operation, Work<T> work) {
    return database.run(operation, handle -> work.with(new Statements(handle, database)));
  }

  /** Runs statements in one transaction. */
  public <T> T transaction(String operation, Work<T> work) {
    return database.transaction(operation, handle -> work.with(new Statements(handle, database)));
  }

  /**
   * Does work that only one process of the installation does at a time. The lock is that of a
   * transaction, so it is free when this process dies.
   */
  public <T> T alone(String what, Work<T> work) {
    return transaction(
        "wait for other servers to " + what,
        statements -> {
          statements
              .query("select 1 from (select pg_advisory_xact_lock(hashtextextended(:name, 0))) l")
              .bind("name", "holdfast control " + database.schema() + " " + what)
              .mapTo(Integer.class)
              .one();
          return work.with(statements);
        });
  }

  /** Returns the random bytes that all servers of the installation share under this name. */
  public byte[] secret(String name) {
    byte[] fresh = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(fresh);
    byte[] stored =
        transaction(
            "read the secret " + name,
            statements -> {
              // By secret_pkey.
              statements
                  .update(
                      "insert into ${schema}.secret values (:name, :value) on conflict do nothing")
                  .bind("name", name)
                  .bind("value", fresh)
                  .execute();
              return statements
                  .query("select value from ${schema}.secret where name = :name")
                  .bind("name", name)
                  .mapTo(byte[].class)
                  .one();
            });
    return Arrays.copyOf(stored, stored.length);
  }

  /** Returns how its connections are used. */
  public PoolUse pool() {
    return PoolUse.of(pool);
  }

  @Override
  public void close() {
    pool.close();
  }

  /** Statements on one connection. */
  public static final class Statements {
    private final Handle handle;
    private final Database database;

    private Statements(Handle handle, Database database) {
      this.handle = handle;
      this.database = database;
    }

    /** Returns the connection, for statements about other schemas in the same transaction. */
    public Handle handle() {
      return handle;
    }

    /** Prepares a query. */
    public org.jdbi.v3.core.statement.Query query(String sql) {
      return handle.createQuery(database.sql(sql));
    }

    /** Prepares an update. */
    public org.jdbi.v3.core.statement.Update update(String sql) {
      return handle.createUpdate(database.sql(sql));
    }

    /**
     * Raises a version. The row stays locked until the commit, so versions follow the order of
     * commits.
     */
    public void raise(String version) {
      // By version_pkey.
      update("update ${schema}.version set number = number + 1 where name = :name")
          .bind("name", version)
          .execute();
    }

    /** Reads a version. */
    public long version(String version) {
      // By version_pkey.
      return query("select number from ${schema}.version where name = :name")
          .bind("name", version)
          .mapTo(Long.class)
          .one();
    }
  }
}
