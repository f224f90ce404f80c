package dev.holdfast.postgres.db;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGConnection;

/**
 * Connections straight from the driver, or from another source, whose {@link Connection#isValid}
 * asks the socket and not the server.
 *
 * <p>A pool validates a connection before it hands it out. By a statement, as drivers do it, that
 * doubles what an idle node asks of the database and adds a round trip to each burst. Looking at
 * what has arrived on the socket sees what matters, a server that said goodbye; a network that
 * swallows everything is met by the timeouts.
 */
public final class QuietDataSource implements DataSource {
  private final Origin origin;
  private volatile int loginTimeoutSeconds = 10;

  /** Where connections come from. */
  @FunctionalInterface
  private interface Origin {
    Connection connect() throws SQLException;
  }

  private QuietDataSource(Origin origin) {
    this.origin = origin;
  }

  /** Parameters in the URL win over the properties. */
  public QuietDataSource(String url, Properties properties) {
    this(() -> connect(new Driver(), url, properties));
  }

  /** Connections of another source, to which they go back as they were when they are closed. */
  public static QuietDataSource over(DataSource source) {
    return new QuietDataSource(source::getConnection);
  }

  @Override
  public Connection getConnection() throws SQLException {
    return quiet(origin.connect());
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  private static Connection connect(Driver driver, String url, Properties properties)
      throws SQLException {
    Connection connection = driver.connect(url, properties);
    if (connection == null) {
      throw new SQLException(
          "'%s' is not the URL of a PostgreSQL database; it looks like jdbc:postgresql://host:5432/database"
              .formatted(url));
    }
    return connection;
  }

  private static Connection quiet(Connection connection) throws SQLException {
    int silence = connection.getNetworkTimeout();
    return (Connection)
        Proxy.newProxyInstance(
            QuietDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isValid")) {
                return isAlive(connection);
              }
              if (method.getName().equals("close")) {
                restore(connection, silence);
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause() == null ? thrown : thrown.getCause();
              }
            });
  }

  /** Pools change it before they close what may be another pool's. */
  private static void restore(Connection connection, int silence) {
    try {
      if (!connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, silence);
      }
    } catch (SQLException broken) {
      // It is closed next, and nobody will use it.
    }
  }

  private static boolean isAlive(Connection connection) {
    try {
      if (connection.isClosed()) {
        return false;
      }
      if (!connection.isWrapperFor(PGConnection.class)) {
        return connection.isValid(1);
      }
      connection.unwrap(PGConnection.class).getNotifications();
      return !connection.isClosed();
    } catch (SQLException gone) {
      return false;
    }
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {
    loginTimeoutSeconds = seconds;
  }

  @Override
  public int getLoginTimeout() {
    return loginTimeoutSeconds;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new SQLException("Not a wrapper for " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }
}
