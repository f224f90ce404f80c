package dev.holdfast.postgres.schema;

import dev.holdfast.postgres.db.SqlFailures;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The migrations of a schema as scripts, for programs that migrate many schemas. A schema is
 * migrated in the transaction of the caller: all of it or nothing, also its creation. The scripts
 * are recorded as Flyway does it, so {@link Migrations} can continue with the same schema.
 */
public final class SchemaScripts {
  private static final String NOWHERE = "holdfast_without_tables";

  /**
   * The version of the newest migration, which programs need to know when they start. The scripts
   * are read when they are needed: Flyway takes half a second to find them.
   */
  static final int NEWEST = 32;

  private record Script(
      int version, String description, String name, @Nullable Integer checksum, String text) {}

  private final int target;
  private final Supplier<List<Script>> reading;
  private @Nullable List<Script> scripts;

  private SchemaScripts(int target, Supplier<List<Script>> reading) {
    this.target = target;
    this.reading = reading;
  }

  /**
   * Returns the scripts of this program.
   *
   * @param dataSource any database: Flyway needs one even to list scripts, and writes nothing
   */
  public static SchemaScripts load(DataSource dataSource) {
    return new SchemaScripts(NEWEST, () -> list(dataSource));
  }

  private synchronized List<Script> scripts() {
    List<Script> known = scripts;
    if (known == null) {
      known = reading.get();
      scripts = known;
    }
    return known;
  }

  private static List<Script> list(DataSource dataSource) {
    return FlywayLog.quietly(() -> {
      try {
        MigrationInfo[] known =
            Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(dataSource)
                .loggers(FlywayLog.class.getName())
                .locations(Migrations.LOCATION)
                .defaultSchema(NOWHERE)
                .schemas(NOWHERE)
                .createSchemas(false)
                .table(Migrations.HISTORY_TABLE)
                .load()
                .info()
                .all();
        return Arrays.stream(known).map(SchemaScripts::read).toList();
      } catch (FlywayException failure) {
        throw SqlFailures.during("list the migrations of this program", failure);
      }
    });
  }

  private static Script read(MigrationInfo info) {
    String path = Migrations.LOCATION.substring("classpath:".length()) + "/" + info.getScript();
    try (InputStream file = Migrations.class.getClassLoader().getResourceAsStream(path)) {
      if (file == null) {
        throw new IllegalStateException("Migration %s is not on the class path.".formatted(path));
      }
      return new Script(
          Integer.parseInt(info.getVersion().getVersion()),
          info.getDescription(),
          info.getScript(),
          info.getChecksum(),
          new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException("Migration %s cannot be read.".formatted(path), failure);
    }
  }

  /** Returns these scripts and one more, to try out or measure a migration. */
  public SchemaScripts and(String description, String text) {
    int next = target + 1;
    return new SchemaScripts(
        next,
        () -> {
          List<Script> more = new ArrayList<>(scripts());
          more.add(new Script(next, description, description, null, text));
          return more;
        });
  }

  /** Returns the version that this program needs. */
  public int target() {
    return target;
  }

  /** Waits until no other program migrates the schema, and excludes others until the commit. */
  public void lock(Handle transaction, String schema) {
    Migrations.lock(transaction, schema);
  }

  /** Returns the version of the tables of a schema, which must exist. */
  public static int version(Handle transaction, String schema) {
    return applied(transaction, schema).stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /**
   * Creates or updates the tables of a schema.
   *
   * @param transaction the transaction to do it in
   * @param schema a name that needs no quotes
   */
  public void apply(Handle transaction, String schema) throws SQLException {
    try (Statement statement = transaction.getConnection().createStatement()) {
      statement.execute(
          """
          create schema if not exists ${schema};
          create table if not exists ${schema}.schema_version (
            installed_rank int not null constraint schema_version_pk primary key,
            version varchar(50), description varchar(200) not null, type varchar(20) not null,
            script varchar(1000) not null, checksum int, installed_by varchar(100) not null,
            installed_on timestamp not null default now(), execution_time int not null,
            success boolean not null);
          create index if not exists schema_version_s_idx on ${schema}.schema_version (success)
          """
              .replace("${schema}", schema));
      List<Integer> applied = applied(transaction, schema);
      for (Script script : scripts()) {
        if (!applied.contains(script.version)) {
          long started = System.nanoTime();
          statement.execute(script.text.replace("${schema}", schema));
          record(transaction, schema, script, (System.nanoTime() - started) / 1_000_000);
        }
      }
    }
  }

  private static List<Integer> applied(Handle transaction, String schema) {
    return new ArrayList<>(
        transaction
            .createQuery(
                "select version::int from %s.schema_version where success and version is not null"
                    .formatted(schema))
            .mapTo(Integer.class)
            .list());
  }

  private static void record(Handle transaction, String schema, Script script, long millis) {
    transaction
        .createUpdate(
            """
            insert into ${schema}.schema_version
              (installed_rank, version, description, type, script, checksum, installed_by,
               execution_time, success)
            select coalesce(max(installed_rank), 0) + 1, :version, :description, 'SQL', :script,
                   :checksum, current_user, :millis, true
            from ${schema}.schema_version
            """
                .replace("${schema}", schema))
        .bind("version", String.valueOf(script.version))
        .bind("description", script.description)
        .bind("script", script.name)
        .bind("checksum", script.checksum)
        .bind("millis", millis)
        .execute();
  }
}
