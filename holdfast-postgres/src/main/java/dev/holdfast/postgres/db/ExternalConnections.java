package dev.holdfast.postgres.db;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.statement.Cleanable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * External connections, adapted to our statements while we use them.
 *
 * <p>Three things matter. The wait for a reply must be limited. A statement outside a transaction
 * must commit: a pool without autocommit would roll it back when the connection is returned. And a
 * statement must see everything that was committed before it: a count under a lock with a snapshot
 * older than the lock is too low.
 */
final class ExternalConnections implements ConnectionFactory {
  private static final Logger log = LoggerFactory.getLogger(ExternalConnections.class);
  private static final int WANTED = Connection.TRANSACTION_READ_COMMITTED;

  private final DataSource source;
  private final int silenceMillis;

  /**
   * The isolation level of all connections; 0 until it is known. Read from the first connection
   * only, because reading it takes a round trip and a pool configures all its connections alike.
   */
  private volatile int isolation;

  /**
   * @param silenceMillis how long to wait for any reply
   */
  ExternalConnections(DataSource source, int silenceMillis) {
    this.source = source;
    this.silenceMillis = silenceMillis;
  }

  @Override
  public Connection openConnection() throws SQLException {
    return source.getConnection();
  }

  @Override
  public Cleanable getCleanableFor(Connection connection) {
    try {
      BorrowedConnection borrowed = BorrowedConnection.within(silenceMillis, connection);
      try {
        makeFit(connection);
      } catch (SQLException | RuntimeException failure) {
        giveBack(connection, borrowed);
        throw failure;
      }
      return () -> giveBack(connection, borrowed);
    } catch (SQLException broken) {
      throw new ConnectionException(broken);
    }
  }

  private void makeFit(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      requireNothingWritten(connection);
      connection.setAutoCommit(true);
    }
    if (isolation == 0) {
      isolation = connection.getTransactionIsolation();
    }
    if (isolation != WANTED) {
      connection.setTransactionIsolation(WANTED);
    }
  }

  private void giveBack(Connection connection, BorrowedConnection borrowed) throws SQLException {
    try (connection) {
      if (isolation != 0 && isolation != WANTED && !connection.isClosed()) {
        connection.setTransactionIsolation(isolation);
      }
      borrowed.close();
    } catch (SQLException broken) {
      log.debug("A connection broke before it was returned; its pool drops it", broken);
    }
  }

  /**
   * Rejects a connection with an open transaction that has written something, because enabling
   * autocommit would commit it. Some data sources return the connection of the transaction that the
   * calling thread is in. A transaction that has written nothing is only a pool that has tested its
   * connection.
   */
  private static void requireNothingWritten(Connection connection) throws SQLException {
    if (connection.isWrapperFor(BaseConnection.class)
        && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE) {
      return;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select pg_current_xact_id_if_assigned() is not null")) {
      if (row.next() && row.getBoolean(1)) {
        throw new StoreException(
            Outcome.REFUSED,
            "The data source returned a connection with an open transaction that has written"
                + " something, and using it would commit that. Give Holdfast the pool itself, not"
                + " a proxy that returns the connection of the current transaction. To enqueue in"
                + " that transaction, use holdfast.in(connection). Nothing was changed.",
            null);
      }
    }
  }
}
