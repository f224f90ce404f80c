package dev.holdfast.embedded.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A separate database for one test. Closing it drops the database; closing it is optional. */
public record TestDatabase(String name, String jdbcUrl, String user, String password)
    implements AutoCloseable {

  /** Opens a connection to the database. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl, user, password);
  }

  /** Terminates all connections to the database and drops it. */
  @Override
  public void close() {
    SharedServer.drop(name);
  }
}
