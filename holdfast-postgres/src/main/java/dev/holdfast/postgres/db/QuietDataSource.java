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
 * Connections straight from the driver, whose {@link Connection#isValid} asks the socket and not
 * the server.
 *
 * <p>A pool validates a connection before it hands it out. By a statement, as drivers do it, that
 * doubles what an idle node asks of the database and adds a round trip to each burst. Looking at
 * what has arrived on the socket sees what matters, a server that said goodbye; a network that
 * swallows everything is met by the timeouts.
 */
public final class QuietDataSource implements DataSource {
  private final Driver driver = new Driver();
  private final String url;
  private final Properties properties;
  private volatile int loginTimeoutSeconds = 10;

  /** Parameters in the URL win over the properties. */
  public QuietDataSource(String url, Properties properties) {
    this.url = url;
    this.properties = properties;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return connect(properties);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    Properties own = new Properties();
    own.putAll(properties);
    own.setProperty("user", user);
    own.setProperty("password", password);
    return connect(own);
  }

  private Connection connect(Properties with) throws SQLException {
    Connection connection = driver.connect(url, with);
    if (connection == null) {
      throw new SQLException(
          "'%s' is not the URL of a PostgreSQL database; it looks like jdbc:postgresql://host:5432/database"
              .formatted(url));
    }
    return quiet(connection);
  }

  private static Connection quiet(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            QuietDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isValid")) {
                return isAlive(connection);
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause() == null ? thrown : thrown.getCause();
              }
            });
  }

  private static boolean isAlive(Connection connection) {
    try {
      if (connection.isClosed()) {
        return false;
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
