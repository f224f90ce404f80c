package dev.holdfast.postgres.schema;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.postgres.db.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationState;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatements;

/** Brings a schema to the version that this program needs. */
public final class Migrations {
  private static final int OLDEST_SERVER = 14;
  private static final Duration LOOK = Duration.ofSeconds(30);
  private static final String LOCATION = "classpath:dev/holdfast/postgres/migration";
  private static final String HISTORY_TABLE = "schema_version";

  private final Database database;
  private final String place;

  /**
   * @param database by connections that wait long: a migration may take its time, and so may those
   *     who wait for it
   * @param place what to call the database in messages
   */
  public Migrations(Database database, String place) {
    this.database = database;
    this.place = place;
  }

  /**
   * Make or update the tables.
   *
   * @throws StoreException if the database cannot be reached, is too old, or was migrated by a
   *     newer program; nothing was written then
   */
  public void migrate() {
    checkServer();
    Flyway flyway = flyway();
    MigrationInfoService found = flyway.info();
    checkNotNewer(found);
    if (found.pending().length > 0) {
      database.transaction(
          "wait for other nodes that migrate schema %s".formatted(database.schema()),
          handle -> migrateAlone(handle, flyway));
    }
    new Partitions(database).ensure();
  }

  /** Several nodes may start at once: the first one migrates, the others find it done. */
  private Void migrateAlone(Handle handle, Flyway flyway) throws SQLException {
    // Others may take long, and long may they wait for us, idle in this transaction.
    handle.getConfig(SqlStatements.class).setQueryTimeout(0);
    handle.execute("set local statement_timeout = 0");
    handle.execute("set local idle_in_transaction_session_timeout = 0");
    handle.execute(
        "select pg_advisory_xact_lock(hashtextextended(?, 0))",
        "holdfast migration " + database.schema());
    checkNotNewer(flyway.info());
    try {
      flyway.migrate();
    } catch (FlywayException failure) {
      throw new StoreException(
          Outcome.REFUSED,
          "Schema %s of %s could not be brought up to date: %s"
              .formatted(database.schema(), place, failure.getMessage()),
          failure);
    }
    return null;
  }

  private void checkServer() {
    int version;
    try {
      version =
          database.within(
              LOOK,
              "look at %s".formatted(place),
              handle ->
                  handle
                      .createQuery("select current_setting('server_version_num')::int")
                      .mapTo(Integer.class)
                      .one());
    } catch (StoreException failure) {
      throw new StoreException(
          failure.outcome(),
          "The database at %s cannot be used. %s".formatted(place, failure.getMessage()),
          failure);
    }
    requireServer(version);
  }

  /** Refuse servers that lack what our statements need. */
  void requireServer(int versionNumber) {
    if (versionNumber < OLDEST_SERVER * 10_000) {
      throw new StoreException(
          Outcome.REFUSED,
          "The database at %s is PostgreSQL %d, and Holdfast needs %d or newer: upgrade it. Nothing was written."
              .formatted(place, versionNumber / 10_000, OLDEST_SERVER),
          null);
    }
  }

  private void checkNotNewer(MigrationInfoService found) {
    for (MigrationInfo migration : found.all()) {
      if (migration.getState() == MigrationState.FUTURE_SUCCESS
          || migration.getState() == MigrationState.FUTURE_FAILED) {
        throw new StoreException(
            Outcome.REFUSED,
            "Schema %s of %s has version %s, made by a newer Holdfast than this one: upgrade this program. Nothing was written."
                .formatted(database.schema(), place, migration.getVersion()),
            null);
      }
    }
  }

  /**
   * Whether a transaction may be idle for as long as a migration runs, as the one is in which
   * Flyway takes a lock of its own. Otherwise it is told to hold that without a transaction, which
   * in turn a pooler that shares connections does not bear.
   */
  private boolean mayBeIdle() {
    return database.run(
        "look at %s".formatted(place),
        handle ->
            handle
                .createQuery("select current_setting('idle_in_transaction_session_timeout') = '0'")
                .mapTo(Boolean.class)
                .one());
  }

  private Flyway flyway() {
    return Flyway.configure(Migrations.class.getClassLoader())
        .dataSource(database.dataSource())
        .callbacks(new Unhurried())
        .configuration(Map.of("flyway.postgresql.transactional.lock", String.valueOf(mayBeIdle())))
        .locations(LOCATION)
        .defaultSchema(database.schema())
        .schemas(database.schema())
        .createSchemas(true)
        .table(HISTORY_TABLE)
        .placeholders(Map.of("schema", database.schema()))
        // A user's own tables beside ours are none of our business.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .load();
  }
}
