package dev.holdfast.cli.database;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select a database and a schema in it. */
public final class DatabaseOptions {
  private static final String DATABASE = "holdfast";

  /** The network timeout of the query that checks whether the tables exist. */
  private static final int LOOK_MILLIS = 30_000;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(
      names = "--schema",
      order = 110,
      paramLabel = "NAME",
      description = "The schema of the Holdfast tables. Defaults to holdfast.")
  private @Nullable String schema;

  @Option(
      names = "--data-folder",
      order = 111,
      paramLabel = "FOLDER",
      description = {
        "The data folder of the embedded PostgreSQL, which is used without --database-url.",
        "Defaults to holdfast/postgres in $$XDG_DATA_HOME or ~/.local/share."
      })
  private @Nullable Path dataFolder;

  /** Returns the database given by the user, if any. */
  public Optional<Address> named() {
    return server.named();
  }

  /** Returns the schema given by the user, or the given default. */
  public String schemaOr(String other) {
    return schema == null ? other : schema;
  }

  /** Returns the data folder of the embedded server. */
  public Path dataFolder() {
    return dataFolder != null ? dataFolder : usualFolder();
  }

  private static Path usualFolder() {
    String xdg = System.getenv().getOrDefault("XDG_DATA_HOME", "");
    Path base =
        xdg.isBlank() ? Path.of(System.getProperty("user.home"), ".local", "share") : Path.of(xdg);
    return base.resolve("holdfast").resolve("postgres");
  }

  /**
   * Starts the embedded server, or uses it if it is running.
   *
   * @param stopOnExit false if the caller stops the server itself when the program ends
   */
  public EmbeddedPostgres startEmbedded(boolean stopOnExit) {
    EmbeddedPostgres started = EmbeddedPostgres.at(dataFolder()).stopOnExit(stopOnExit).start();
    started.createDatabase(DATABASE);
    return started;
  }

  /** Returns the address of the Holdfast database on an embedded server. */
  public static Address addressOf(EmbeddedPostgres server) {
    return new Address(server.jdbcUrl(DATABASE), server.user(), server.password());
  }

  /** Opens an existing store. Never creates tables or a data folder. */
  public OpenStore open() throws SQLException {
    Optional<Address> named = named();
    if (named.isPresent()) {
      return new OpenStore(openStore(named.get()), null);
    }
    if (!Files.exists(dataFolder())) {
      throw new HoldfastException(
          "No database is given, and there is no embedded database in %s: use --database-url, or run 'holdfast demo' first."
              .formatted(dataFolder()));
    }
    EmbeddedPostgres embedded = startEmbedded(true);
    try {
      return new OpenStore(openStore(addressOf(embedded)), embedded);
    } catch (SQLException | RuntimeException failure) {
      embedded.close();
      throw failure;
    }
  }

  private PostgresStore openStore(Address address) throws SQLException {
    String name = schemaOr(PostgresSettings.DEFAULT_SCHEMA);
    requireTables(address, name);
    return PostgresStore.connect(address.settings(name).poolSize(2).name("holdfast-cli").build());
  }

  /** Fails if there are no tables: opening a store would create them, which a command must not. */
  private static void requireTables(Address address, String schema) throws SQLException {
    try (Connection connection = address.connect();
        PreparedStatement query =
            connection.prepareStatement(
                "select to_regclass(format('%I.job', ?::text)) is not null")) {
      connection.setNetworkTimeout(Runnable::run, LOOK_MILLIS);
      query.setString(1, schema);
      try (ResultSet row = query.executeQuery()) {
        row.next();
        if (!row.getBoolean(1)) {
          throw new HoldfastException(
              "Schema '%s' of %s has no Holdfast tables: choose another with --schema, or start a node there first."
                  .formatted(schema, address));
        }
      }
    }
  }
}
