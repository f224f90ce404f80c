package dev.holdfast.postgres.db;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * An external connection while we use it. Closing this object restores the settings of the owner
 * and leaves the connection open.
 *
 * @param networkTimeout the value that the owner set
 * @param autoCommit the value that the owner set
 */
record BorrowedConnection(Connection connection, int networkTimeout, boolean autoCommit)
    implements AutoCloseable {

  /**
   * Borrows a connection and limits the wait for each reply to the given number of milliseconds.
   */
  static BorrowedConnection within(int millis, Connection connection) throws SQLException {
    BorrowedConnection borrowed =
        new BorrowedConnection(
            connection, connection.getNetworkTimeout(), connection.getAutoCommit());
    connection.setNetworkTimeout(
        Runnable::run,
        borrowed.networkTimeout == 0 ? millis : Math.min(borrowed.networkTimeout, millis));
    return borrowed;
  }

  @Override
  public void close() throws SQLException {
    if (connection.isClosed()) {
      return; // The connection broke, and its owner knows.
    }
    connection.setNetworkTimeout(Runnable::run, networkTimeout);
    if (connection.getAutoCommit() != autoCommit) {
      connection.setAutoCommit(autoCommit);
    }
  }
}
