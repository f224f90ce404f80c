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

/** One schema of one database: where every statement of the stores is run. */
public final class Database {
  private final DataSource dataSource;
  private final Jdbi jdbi;
  private final String schema;
  private final int timeoutSeconds;
  private final int silenceMillis;

  private Database(DataSource dataSource, String schema, int timeoutSeconds, int silenceMillis) {
    this.dataSource = dataSource;
    this.schema = schema;
    this.timeoutSeconds = timeoutSeconds;
    this.silenceMillis = silenceMillis;
    this.jdbi =
        (isForeign()
                ? Jdbi.create(new ExternalConnections(dataSource, silenceMillis))
                : Jdbi.create(dataSource))
            .installPlugin(new PostgresPlugin());
    SqlStatements statements = jdbi.getConfig(SqlStatements.class);
    // The default engine reads '<' as the start of a template variable.
    statements.setTemplateEngine(TemplateEngine.NOP);
    // Statements of one family share their binding.
    statements.setUnusedBindingAllowed(true);
    if (isForeign()) {
      statements.setQueryTimeout(timeoutSeconds);
      statements.addCustomizer(CustomPlan.INSTANCE);
    }
  }

  /** Use connections that were made for us: they time out by themselves and plan as we need it. */
  public static Database own(DataSource dataSource, String schema) {
    return new Database(dataSource, schema, 0, 0);
  }

  /**
   * Use connections that others configured: of their pools, or in their transactions. Each answer
   * is waited for so long and no longer, whatever their own timeouts are. A plan that the server
   * caches while a table is empty reads all of it, and would go on doing so when it has filled; so
   * here each statement is planned anew.
   *
   * @param timeout how long a statement may take; an answer of whatever kind, a quarter more
   */
  public static Database foreign(DataSource dataSource, String schema, Duration timeout) {
    // A little longer than the server is given: its own word says more than a broken connection.
    return foreign(dataSource, schema, timeout, timeout.plus(timeout.dividedBy(4)));
  }

  /**
   * The same, with a patience of its own for the network.
   *
   * @param silence how long a reply of whatever kind is waited for; the connection is lost then
   */
  public static Database foreign(
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

  /** Something to do with a connection. */
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

  /** A statement with the names of its tables made complete. */
  public String sql(String template) {
    return template.replace("${schema}", schema);
  }

  /**
   * Run statements that each commit by themselves.
   *
   * @param operation what is being done, as it follows "could not" in a message
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
   * The server behind this connection takes no writes, or is going away: the next request needs a
   * connection to its successor. In our own pool the others are as old and lead to the same server;
   * a pool of the caller is the caller's business but for the connection that we have in hand.
   */
  private void discardAll(Connection connection) {
    Discarding.discard(dataSource, connection);
    if (!isForeign() && dataSource instanceof HikariDataSource pool) {
      pool.getHikariPoolMXBean().softEvictConnections();
    }
  }

  /** The same, without waiting longer than this for any answer. */
  public <T> T within(Duration patience, String operation, Work<T> work) {
    int millis = Math.clamp(patience.toMillis(), 1, Integer.MAX_VALUE);
    return run(
        operation, handle -> within(millis, handle.getConnection(), any -> work.with(handle)));
  }

  /** Something to do with a connection of somebody else's. */
  @FunctionalInterface
  public interface Guest<T> {
    T on(Connection connection) throws SQLException;
  }

  /**
   * Use a connection that others configured, without waiting for ever for any answer: a timeout of
   * statements helps neither against a commit nor against a network that swallows everything.
   */
  public <T> T patiently(Connection connection, Guest<T> work) throws SQLException {
    return within(silenceMillis, connection, work);
  }

  private static <T> T within(int millis, Connection connection, Guest<T> work)
      throws SQLException {
    try (BorrowedConnection lent = BorrowedConnection.within(millis, connection)) {
      return work.on(lent.connection());
    }
  }

  /** Run statements that commit together. */
  public <T> T transaction(String operation, Work<T> work) {
    return run(operation, handle -> handle.inTransaction(work::with));
  }

  /** Prepare a statement on a connection of the kind that this database has. */
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
