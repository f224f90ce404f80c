package dev.holdfast.server.boot;

import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.RestoredDatabase;
import dev.holdfast.postgres.db.SqlFailures;
import dev.holdfast.postgres.restore.NewEpoch;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes a database that was restored from a backup ready for nodes and servers: all schemas of the
 * library, those of tenants among them, get a new epoch of fencing tokens, and all processes of the
 * control schema are dead, so that the tenants they worked in are looked at.
 */
public final class RestoredInstallation {
  private final DatabaseAddress address;
  private final Consumer<NewEpoch.Started> done;

  private RestoredInstallation(DatabaseAddress address, Consumer<NewEpoch.Started> done) {
    this.address = address;
    this.done = done;
  }

  /**
   * Does it in a database.
   *
   * @param done is told about each schema
   * @return how many schemas with the tables of Holdfast it has
   */
  public static int run(DatabaseAddress address, Consumer<NewEpoch.Started> done) {
    return new RestoredInstallation(address, done).run();
  }

  /** Does it in all databases of an embedded server. */
  public static int run(EmbeddedPostgres server, Consumer<NewEpoch.Started> done) {
    int schemas = 0;
    for (String name : databases(server)) {
      schemas +=
          run(new DatabaseAddress(server.jdbcUrl(name), server.user(), server.password()), done);
    }
    return schemas;
  }

  private static List<String> databases(EmbeddedPostgres server) {
    List<String> names = new ArrayList<>();
    try (Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select datname from pg_database where datallowconn and not datistemplate")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
      return names;
    } catch (SQLException failure) {
      throw SqlFailures.during("list the databases of " + server, failure);
    }
  }

  private int run() {
    RestoredDatabase database =
        RestoredDatabase.at(
            address.settings(PostgresSettings.DEFAULT_SCHEMA).name("holdfast-restored").build());
    List<String> schemas = database.schemas();
    database.startNewEpoch(schemas, done);
    for (String control : database.schemasWith(ControlDatabase.TABLES)) {
      endProcesses(control);
    }
    return schemas.size();
  }

  private void endProcesses(String schema) {
    try (ControlDatabase control = ControlDatabase.connect(address, schema)) {
      AuditLog audit = new AuditLog(control);
      control.transaction(
          "end the processes of schema " + schema,
          statements -> {
            // The process that starts next visits the tenants that they hold.
            int ended =
                statements
                    .update(
                        """
                        update ${schema}.node set
                          state = 'DEAD', died_at = now(), death = 'SILENCE', died_for = 0,
                          running = 0
                        where state = 'ALIVE'
                        """)
                    .execute();
            audit.record(statements, Actor.SERVER, AuditLog.Act.of("database.restored", null));
            return ended;
          });
    }
  }
}
