package dev.holdfast.bench.harness;

import dev.holdfast.cli.database.Address;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The server that is measured: one given by the user, or a temporary embedded one. */
public final class BenchServer implements AutoCloseable {
  private static final String DATABASE = "bench";

  private final Address address;
  private final @Nullable EmbeddedPostgres own;

  private BenchServer(Address address, @Nullable EmbeddedPostgres own) {
    this.address = address;
    this.own = own;
  }

  static BenchServer open(Optional<Address> named) {
    if (named.isPresent()) {
      return new BenchServer(named.get(), null);
    }
    EmbeddedPostgres started = EmbeddedPostgres.temporary().start();
    started.createDatabase(DATABASE);
    return new BenchServer(
        new Address(started.jdbcUrl(DATABASE), started.user(), started.password()), started);
  }

  public Address address() {
    return address;
  }

  /** Returns whether the server is the temporary one, so that its settings may be changed. */
  public boolean isOurs() {
    return own != null;
  }

  /** Returns the temporary server; empty if the user gave a database. */
  public Optional<EmbeddedPostgres> own() {
    return Optional.ofNullable(own);
  }

  /** Returns a random schema name. */
  public static String freshSchema() {
    byte[] random = new byte[4];
    new SecureRandom().nextBytes(random);
    return "holdfast_bench_" + HexFormat.of().formatHex(random);
  }

  /** Creates Holdfast's tables in a new schema. */
  public BenchDatabase fresh() {
    return new BenchDatabase(this, freshSchema());
  }

  public Connection connect() throws SQLException {
    return address.connect();
  }

  /**
   * Connects to another database of the temporary server, so that {@code pg_stat_statements} can
   * distinguish these statements from the measured ones.
   */
  public Connection connectAside() throws SQLException {
    return own == null ? address.connect() : own.connect("postgres");
  }

  public void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  public long number(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Writes a checkpoint on the temporary server, so that the next round does not pay for the writes
   * of the last.
   */
  public void settle() throws SQLException {
    if (isOurs()) {
      execute("checkpoint");
    }
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }

  @Override
  public String toString() {
    return own == null
        ? "%s, in schemas that are dropped at the end.".formatted(address)
        : "a temporary embedded PostgreSQL, which is deleted at the end.";
  }
}
