package dev.holdfast.postgres.db;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A connection of somebody else's while we use it; closing this leaves it as it was.
 *
 * @param networkTimeout what its owner set
 * @param autoCommit what its owner set
 */
record BorrowedConnection(Connection connection, int networkTimeout, boolean autoCommit)
    implements AutoCloseable {

  /** Wait so many milliseconds for any answer and no longer. */
  static BorrowedConnection within(int millis, Connection connection) throws SQLException {
    BorrowedConnection lent =
        new BorrowedConnection(
            connection, connection.getNetworkTimeout(), connection.getAutoCommit());
    connection.setNetworkTimeout(
        Runnable::run, lent.networkTimeout == 0 ? millis : Math.min(lent.networkTimeout, millis));
    return lent;
  }

  @Override
  public void close() throws SQLException {
    if (connection.isClosed()) {
      return; // It broke, and its owner knows.
    }
    connection.setNetworkTimeout(Runnable::run, networkTimeout);
    if (connection.getAutoCommit() != autoCommit) {
      connection.setAutoCommit(autoCommit);
    }
  }
}
