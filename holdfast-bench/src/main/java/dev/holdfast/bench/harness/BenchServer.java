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

  /** Returns no server, for a benchmark that creates its own. */
  static BenchServer none() {
    return new BenchServer(new Address("none", null, null), null);
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

  /** Returns how many bytes of write-ahead log have been written. */
  public long walPosition() throws SQLException {
    return number("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
  }

  /** Turns full-page images on or off on the temporary server. */
  public void fullPageWrites(boolean on) throws SQLException {
    if (isOurs()) {
      execute("alter system set full_page_writes = " + (on ? "on" : "off"));
      execute("select pg_reload_conf()");
      // The checkpointer applies the setting before it starts the checkpoint.
      settle();
    }
  }

  /**
   * Returns whether {@code pg_stat_statements} can be read from {@link #connect} and {@link
   * #connectAside}. Creates it on the temporary server.
   */
  public boolean countsStatements() throws SQLException {
    if (isOurs()) {
      execute("create extension if not exists pg_stat_statements");
      try (Connection aside = connectAside();
          Statement statement = aside.createStatement()) {
        statement.execute("create extension if not exists pg_stat_statements");
      }
    }
    return number("select count(*) from pg_extension where extname = 'pg_stat_statements'") > 0;
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
    return address.url().equals("none")
        ? "servers that are created for this benchmark and deleted at the end."
        : own == null
            ? "%s, in schemas that are dropped at the end.".formatted(address)
            : "a temporary embedded PostgreSQL, which is deleted at the end.";
  }
}
