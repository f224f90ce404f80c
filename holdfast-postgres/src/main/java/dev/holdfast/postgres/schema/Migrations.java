package dev.holdfast.postgres.schema;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlFailures;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.output.MigrateResult;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatements;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Migrates a schema to the version that this program needs. */
public final class Migrations {
  private static final int OLDEST_SERVER = 14;
  private static final Duration LOOK = Duration.ofSeconds(30);
  static final String LOCATION = "classpath:dev/holdfast/postgres/migration";
  static final String HISTORY_TABLE = "schema_version";

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);

  private final Database database;
  private final String place;
  private final Privileges privileges;
  private final Partitions partitions;

  /**
   * @param database with long timeouts: a migration may take long, and so may the wait for another
   *     node that migrates
   * @param place the name of the database in messages
   */
  public Migrations(Database database, String place) {
    this.database = database;
    this.place = place;
    this.privileges = new Privileges(database, place);
    this.partitions = new Partitions(database);
  }

  /**
   * Creates or updates the tables.
   *
   * @throws StoreException if the database cannot be reached, is too old or was migrated by a newer
   *     program, or if the role lacks a privilege. Nothing was written in that case
   */
  public void migrate() {
    if (isCurrent()) {
      return;
    }
    FlywayLog.quietly(() -> {
      Flyway flyway = flyway();
      MigrationInfoService found = inspect(flyway);
      checkNotNewer(found);
      if (found.pending().length > 0) {
        privileges.requireCreate();
        database.transaction(
            "wait for other nodes that migrate schema %s".formatted(database.schema()),
            handle -> migrateAlone(handle, flyway));
      }
      return flyway;
    });
    privileges.requireUse();
    partitions.ensure();
  }

  private MigrationInfoService inspect(Flyway flyway) {
    try {
      return flyway.info();
    } catch (FlywayException failure) {
      throw failed("could not be inspected", failure);
    }
  }

  /**
   * Migrates while no other node does. If several nodes start at the same time, the first one
   * migrates and the others find nothing left to do.
   */
  private Void migrateAlone(Handle handle, Flyway flyway) throws SQLException {
    // Another node may migrate for a long time, and so may this one, while this transaction is
    // idle.
    handle.getConfig(SqlStatements.class).setQueryTimeout(0);
    handle.execute("set local statement_timeout = 0");
    handle.execute("set local idle_in_transaction_session_timeout = 0");
    lock(handle, database.schema());
    checkNotNewer(inspect(flyway));
    try {
      MigrateResult result = flyway.migrate();
      if (result.migrationsExecuted > 0) {
        log.info(
            "Schema {} of {} is now at version {}, after {} migrations in {} ms",
            database.schema(),
            place,
            result.targetSchemaVersion,
            result.migrationsExecuted,
            result.getTotalMigrationTime());
      }
    } catch (FlywayException failure) {
      throw failed("could not be migrated", failure);
    }
    return null;
  }

  /** Excludes other programs that migrate the schema until the transaction ends. */
  static void lock(Handle transaction, String schema) {
    transaction.execute(
        "select pg_advisory_xact_lock(hashtextextended(?, 0))", "holdfast migration " + schema);
  }

  private StoreException failed(String what, FlywayException failure) {
    boolean forbidden = SqlFailures.state(failure).equals(Privileges.FORBIDDEN);
    return new StoreException(
        Outcome.REFUSED,
        "Schema %s of %s %s: %s"
            .formatted(
                database.schema(),
                place,
                what,
                forbidden
                    ? SqlFailures.reason(failure) + ". " + privileges.remedy()
                    : failure.getMessage()),
        failure);
  }

  /**
   * What one look at the database finds.
   *
   * @param server the version number of the server
   * @param current whether there is nothing to do
   */
  private record Found(int server, boolean current) {}

  /**
   * Returns whether there is nothing to do. Needs one connection, and does not load and start
   * Flyway.
   */
  private boolean isCurrent() {
    Found found;
    try {
      found = database.within(LOOK, "connect to %s".formatted(place), this::look);
    } catch (StoreException failure) {
      throw new StoreException(
          failure.outcome(),
          "The database at %s cannot be used. %s".formatted(place, failure.getMessage()),
          failure);
    }
    requireServer(found.server);
    return found.current;
  }

  private Found look(Handle handle) {
    int server =
        handle
            .createQuery("select current_setting('server_version_num')::int")
            .mapTo(Integer.class)
            .one();
    boolean current =
        server >= OLDEST_SERVER * 10_000
            && privileges.maySee(handle, HISTORY_TABLE)
            && hasNewest(handle)
            && privileges.lacking(handle).isEmpty()
            && partitions.areComplete(handle);
    return new Found(server, current);
  }

  private boolean hasNewest(Handle handle) {
    return handle
        .createQuery(
            database.sql(
                """
                select coalesce(max(version::int), 0) = :newest and bool_and(success)
                from ${schema}.schema_version where version is not null
                """))
        .bind("newest", SchemaScripts.NEWEST)
        .mapTo(Boolean.class)
        .one();
  }

  /** Rejects servers that are too old for our statements. */
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
            "Schema %s of %s has version %s, which a newer version of Holdfast created: upgrade this program. Nothing was written."
                .formatted(database.schema(), place, migration.getVersion()),
            null);
      }
    }
  }

  /**
   * Returns whether a transaction may be idle for as long as a migration runs, like the transaction
   * in which Flyway holds its own lock. If not, Flyway must hold the lock without a transaction,
   * which does not work behind a pooler that shares connections.
   */
  private boolean mayBeIdle() {
    return database.run(
        "read the settings of %s".formatted(place),
        handle ->
            handle
                .createQuery("select current_setting('idle_in_transaction_session_timeout') = '0'")
                .mapTo(Boolean.class)
                .one());
  }

  private Flyway flyway() {
    return Flyway.configure(Migrations.class.getClassLoader())
        .dataSource(database.dataSource())
        .callbacks(new MigrationTimeouts())
        .configuration(Map.of("flyway.postgresql.transactional.lock", String.valueOf(mayBeIdle())))
        .loggers(FlywayLog.class.getName())
        .locations(LOCATION)
        .defaultSchema(database.schema())
        .schemas(database.schema())
        .createSchemas(true)
        .table(HISTORY_TABLE)
        .placeholders(Map.of("schema", database.schema()))
        // Tables of the application in the same schema are allowed.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .load();
  }
}
