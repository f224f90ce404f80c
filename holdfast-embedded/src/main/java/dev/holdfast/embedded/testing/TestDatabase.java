package dev.holdfast.embedded.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A database of its own for one test. Closing it drops it; a test that does not loses nothing. */
public record TestDatabase(String name, String jdbcUrl, String user, String password)
    implements AutoCloseable {

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl, user, password);
  }

  /** Ends all connections to the database and drops it. */
  @Override
  public void close() {
    SharedServer.drop(name);
  }
}
