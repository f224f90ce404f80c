package dev.holdfast.postgres.db;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.Driver;
import org.postgresql.PGConnection;

/**
 * Connections directly from the driver. Their {@link Connection#isValid} checks the socket instead
 * of asking the server, unless the connection has been idle for a while.
 *
 * <p>A pool validates a connection before it is used. Drivers validate with a statement, which
 * doubles the number of statements of an idle node and adds a round trip to each burst. Reading the
 * socket detects that the server closed the connection. It does not detect a firewall that has
 * forgotten an idle connection and drops its packets silently: each such connection would cost its
 * user the whole socket timeout. Firewalls forget a connection after one minute at the earliest, so
 * after half of that time the server is asked, with a short timeout.
 */
public final class SocketValidatedDataSource extends PlainDataSource {
  /** How long a connection may be idle before checking the local socket is not enough. */
  private static final Duration TRUSTED = Duration.ofSeconds(30);

  private static final int REPLY_SECONDS = 1;

  private final String url;
  private final Properties properties;
  private final Duration trusted;

  /** Creates a data source. Parameters in the URL take precedence over the properties. */
  public SocketValidatedDataSource(String url, Properties properties) {
    this(url, properties, TRUSTED);
  }

  /**
   * @param trusted how long a connection may be idle before the server is asked
   */
  public SocketValidatedDataSource(String url, Properties properties, Duration trusted) {
    this.url = url;
    this.properties = properties;
    this.trusted = trusted;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = new Driver().connect(url, properties);
    if (connection == null) {
      // Without the URL: it may contain a password.
      throw new SQLException(
          "The database URL is not valid; use the form" + " jdbc:postgresql://host:5432/database");
    }
    return quiet(connection);
  }

  private Connection quiet(Connection connection) {
    AtomicLong used = new AtomicLong(System.nanoTime());
    return (Connection)
        Proxy.newProxyInstance(
            SocketValidatedDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isValid")) {
                return System.nanoTime() - used.get() < trusted.toNanos()
                    ? isAlive(connection)
                    : connection.isValid(REPLY_SECONDS);
              }
              // A pool calls setNetworkTimeout before it validates, so that call does not count as
              // use.
              if (!method.getName().equals("setNetworkTimeout")) {
                used.set(System.nanoTime());
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause() == null ? thrown : thrown.getCause();
              }
            });
  }

  /** Returns whether the socket is open and nothing that arrived on it says otherwise. */
  static boolean isAlive(Connection connection) {
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
}
