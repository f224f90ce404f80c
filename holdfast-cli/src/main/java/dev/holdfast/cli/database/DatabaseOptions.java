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

/** The options that name a database and the tables in it. */
public final class DatabaseOptions {
  private static final String DATABASE = "holdfast";

  /** How long a look at what is there may take. */
  private static final int LOOK_MILLIS = 30_000;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description = "The schema that the tables are in. Defaults to holdfast.")
  private @Nullable String schema;

  @Option(
      names = "--data-folder",
      paramLabel = "FOLDER",
      description = {
        "Where the embedded PostgreSQL keeps its data when no database is named.",
        "Defaults to holdfast/postgres in $$XDG_DATA_HOME or ~/.local/share."
      })
  private @Nullable Path dataFolder;

  /** The database that was named, if any was. */
  public Optional<Address> named() {
    return server.named();
  }

  /** The schema that was named, or another. */
  public String schemaOr(String other) {
    return schema == null ? other : schema;
  }

  /** Where the embedded server keeps its data. */
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
   * Start the embedded server, or use the one that runs.
   *
   * @param stopOnExit false for a caller that stops it in its own time when the program ends
   */
  public EmbeddedPostgres startEmbedded(boolean stopOnExit) {
    EmbeddedPostgres started = EmbeddedPostgres.at(dataFolder()).stopOnExit(stopOnExit).start();
    started.createDatabase(DATABASE);
    return started;
  }

  /** The database for jobs of an embedded server. */
  public static Address addressOf(EmbeddedPostgres server) {
    return new Address(server.jdbcUrl(DATABASE), server.user(), server.password());
  }

  /** Open the store that is there already, for a look or a word. */
  public OpenStore open() throws SQLException {
    Optional<Address> named = named();
    if (named.isPresent()) {
      return new OpenStore(openStore(named.get()), null);
    }
    if (!Files.exists(dataFolder())) {
      throw new HoldfastException(
          "No database is named, and there is no embedded one in %s: give --database-url, or run 'holdfast demo' first."
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

  /** A store makes its tables when it is opened, which whoever only wants to look does not want. */
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
              "Schema '%s' of %s has no Holdfast tables: name another with --schema, or start a node there first."
                  .formatted(schema, address));
        }
      }
    }
  }
}
