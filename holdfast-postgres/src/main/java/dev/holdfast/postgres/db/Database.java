package dev.holdfast.postgres.db;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.TemplateEngine;
import org.jdbi.v3.postgres.PostgresPlugin;
import org.jspecify.annotations.Nullable;

/** One schema of one database. Every statement of the stores runs here. */
public final class Database {
  private final DataSource dataSource;
  private final Jdbi jdbi;
  private final String schema;
  private final int timeoutSeconds;
  private final int silenceMillis;
  private final @Nullable HomeConnections shared;

  private Database(DataSource dataSource, String schema, int timeoutSeconds, int silenceMillis) {
    this.dataSource = dataSource;
    this.schema = schema;
    this.timeoutSeconds = timeoutSeconds;
    this.silenceMillis = silenceMillis;
    this.shared = null;
    this.jdbi =
        (isForeign()
                ? Jdbi.create(new ExternalConnections(dataSource, silenceMillis))
                : Jdbi.create(dataSource))
            .installPlugin(new PostgresPlugin());
    configure(jdbi);
  }

  private Database(HomeConnections shared, String schema) {
    this.dataSource = shared.home();
    this.schema = schema;
    this.timeoutSeconds = 0;
    this.silenceMillis = 0;
    this.shared = shared;
    this.jdbi = Jdbi.create(shared).installPlugin(new PostgresPlugin());
    configure(jdbi);
  }

  private void configure(Jdbi jdbi) {
    jdbi.registerArgument(new ArrayArguments());
    SqlStatements statements = jdbi.getConfig(SqlStatements.class);
    // The default engine reads '<' as the start of a template variable.
    statements.setTemplateEngine(TemplateEngine.NOP);
    statements.setSqlParser(new NamedParameters());
    // Statements of one family share their bindings.
    statements.setUnusedBindingAllowed(true);
    if (isForeign()) {
      statements.setQueryTimeout(timeoutSeconds);
      statements.addCustomizer(CustomPlan.INSTANCE);
    }
  }

  /** Uses connections that were opened for us: they have our timeouts and planner settings. */
  public static Database own(DataSource dataSource, String schema) {
    return new Database(dataSource, schema, 0, 0);
  }

  /** Uses connections that were opened for us and that many schemas share. */
  public static Database own(HomeConnections shared, String schema) {
    return new Database(shared, schema);
  }

  /**
   * Uses connections that other code configured: from external pools or in external transactions.
   * The wait for each reply is limited, whatever the timeouts of the connection are. Every
   * statement is planned on each execution, because a plan that the server caches while a table is
   * empty scans the whole table, and would still do so after it has filled.
   *
   * @param timeout the maximum duration of a statement; the wait for any reply is a quarter longer
   */
  public static Database external(DataSource dataSource, String schema, Duration timeout) {
    // A little longer than the server has: an error from the server says more than a broken
    // connection.
    return external(dataSource, schema, timeout, timeout.plus(timeout.dividedBy(4)));
  }

  /**
   * Uses connections that other code configured, with a separate network timeout.
   *
   * @param silence how long to wait for any reply before the connection is given up
   */
  public static Database external(
      DataSource dataSource, String schema, Duration timeout, Duration silence) {
    return new Database(
        dataSource,
        schema,
        Math.toIntExact(Math.max(1, timeout.toSeconds())),
        Math.clamp(silence.toMillis(), 1, Integer.MAX_VALUE));
  }

  private boolean isForeign() {
    return timeoutSeconds > 0;
  }

  /** Work that needs a connection. */
  @FunctionalInterface
  public interface Work<T> {
    T with(Handle handle) throws SQLException;
  }

  public String schema() {
    return schema;
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** Returns a statement with its table names qualified by the schema. */
  public String sql(String template) {
    return template.replace("${schema}", schema);
  }

  /**
   * Runs statements, each in its own transaction.
   *
   * @param operation what is being done, to follow "Could not" in an error message
   */
  public <T> T run(String operation, Work<T> work) {
    try (Handle handle = open(operation)) {
      return with(handle, work);
    } catch (SQLException | JdbiException failure) {
      throw SqlFailures.during(operation, failure);
    }
  }

  private <T> T with(Handle handle, Work<T> work) throws SQLException {
    try {
      return work.with(handle);
    } catch (SQLException | JdbiException failure) {
      if (SqlFailures.isNotPrimary(failure)) {
        discardAll(handle.getConnection());
      }
      throw failure;
    }
  }

  /**
   * Discards the connections to a server that does not accept writes or is shutting down: the next
   * request needs a connection to its successor. In our own pool the other connections are as old
   * and lead to the same server. In an external pool only the connection in use is discarded.
   */
  private void discardAll(Connection connection) {
    if (shared != null) {
      shared.discardAll(connection);
      return;
    }
    Discarding.discard(dataSource, connection);
    if (!isForeign() && dataSource instanceof HikariDataSource pool) {
      pool.getHikariPoolMXBean().softEvictConnections();
    }
  }

  /** Runs statements like {@link #run}, but waits no longer than the given time for any reply. */
  public <T> T within(Duration patience, String operation, Work<T> work) {
    int millis = Math.clamp(patience.toMillis(), 1, Integer.MAX_VALUE);
    return run(
        operation, handle -> within(millis, handle.getConnection(), any -> work.with(handle)));
  }

  /** Work that needs an external connection. */
  @FunctionalInterface
  public interface Guest<T> {
    T on(Connection connection) throws SQLException;
  }

  /**
   * Uses an external connection with a limited wait for each reply. A statement timeout does not
   * limit a commit or the wait for a network that drops all packets.
   */
  public <T> T patiently(Connection connection, Guest<T> work) throws SQLException {
    return within(silenceMillis, connection, work);
  }

  private static <T> T within(int millis, Connection connection, Guest<T> work)
      throws SQLException {
    try (BorrowedConnection borrowed = BorrowedConnection.within(millis, connection)) {
      return work.on(borrowed.connection());
    }
  }

  /**
   * Returns a handle on an external connection, for statements with named parameters. The caller
   * does not close it: the connection belongs to other code.
   */
  public Handle handle(Connection connection) {
    Jdbi guest = Jdbi.create(connection).installPlugin(new PostgresPlugin());
    configure(guest);
    return guest.open();
  }

  /** Runs statements in one transaction. */
  public <T> T transaction(String operation, Work<T> work) {
    return run(operation, handle -> handle.inTransaction(work::with));
  }

  /**
   * Prepares a statement with the timeout and the plan mode that connections of this database need.
   */
  public PreparedStatement prepare(Connection connection, String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    if (isForeign()) {
      statement.setQueryTimeout(timeoutSeconds);
      CustomPlan.plan(statement);
    }
    return statement;
  }

  private Handle open(String operation) {
    try {
      return jdbi.open();
    } catch (ConnectionException failure) {
      throw SqlFailures.connecting(operation, failure);
    }
  }
}
