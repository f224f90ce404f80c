package dev.holdfast.postgres;

import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.restore.NewEpoch;
import dev.holdfast.postgres.schema.SchemaScripts;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A database that was restored from a backup.
 *
 * <p>It does not know which fencing tokens were issued after the backup, and the nodes in it are
 * gone. {@link #startNewEpoch} must be called before any node uses it.
 */
public final class RestoredDatabase {
  /** Tables by which a schema is recognised. All versions have them. */
  private static final List<String> TABLES =
      List.of("job", "job_history", "dead_letter", "unique_ledger", "tally", "schema_version");

  private static final String SCHEMAS =
      """
      select n.nspname from pg_namespace n
      where cardinality(:tables::text[]) = (
        select count(*) from pg_class c
        where c.relnamespace = n.oid and c.relkind in ('r', 'p')
          and c.relname = any(:tables::text[]))
      order by n.nspname
      """;

  private final Database database;
  private final NewEpoch epochs;

  private RestoredDatabase(Database database) {
    this.database = database;
    this.epochs = new NewEpoch(SchemaScripts.load(database.dataSource()));
  }

  /**
   * Returns a restored database; the schema in the settings does not matter.
   *
   * @param settings the role must own the tables
   */
  public static RestoredDatabase at(PostgresSettings settings) {
    Connections connections = new Connections(settings, settings.name() + "-" + UUID.randomUUID());
    return new RestoredDatabase(Database.own(connections.migrating(), settings.schema()));
  }

  /** Returns all schemas that have the tables of Holdfast. */
  public List<String> schemas() {
    return schemasWith(TABLES);
  }

  /** Returns all schemas that have these tables. */
  public List<String> schemasWith(List<String> tables) {
    return database.run(
        "look for the tables of Holdfast",
        handle ->
            handle
                .createQuery(SCHEMAS)
                .bindArray("tables", String.class, tables)
                .mapTo(String.class)
                .list());
  }

  /**
   * Starts a new epoch in each of the schemas, one transaction each: every token that is issued
   * from now on is greater than all that were issued before, all incarnations are dead, and the
   * jobs that they held are taken back by the first node that starts. If it fails, call it again
   * before any node starts; schemas that were done get another epoch, which does no harm.
   *
   * @param done is told about each schema when its transaction has been committed
   * @throws dev.holdfast.api.StoreException if the database cannot be reached, a newer program
   *     created the tables, or the role does not own them
   */
  public List<NewEpoch.Started> startNewEpoch(
      List<String> schemas, Consumer<NewEpoch.Started> done) {
    List<NewEpoch.Started> all = new ArrayList<>();
    for (String schema : schemas) {
      NewEpoch.Started started =
          database.transaction(
              "start a new epoch in schema %s, which needs that no node is connected"
                  .formatted(schema),
              handle -> epochs.start(handle, schema));
      done.accept(started);
      all.add(started);
    }
    return all;
  }
}
