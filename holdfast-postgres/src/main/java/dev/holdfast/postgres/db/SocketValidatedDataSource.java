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
 * Connections straight from the driver, whose {@link Connection#isValid} asks the socket and not
 * the server, unless the connection has been idle for long.
 *
 * <p>A pool validates a connection before it hands it out. By a statement, as drivers do it, that
 * doubles what an idle node asks of the database and adds a round trip to each burst. What has
 * arrived on the socket tells of a server that closed the connection. It does not tell of a
 * firewall that has forgotten an idle connection and drops its packets silently: each such
 * connection would cost its user the whole socket timeout. Firewalls forget after a minute at the
 * earliest, so a connection that has been idle for half of that asks the server, briefly.
 */
public final class SocketValidatedDataSource extends PlainDataSource {
  /** How long a connection may be idle before the local socket is no longer trusted. */
  private static final Duration TRUSTED = Duration.ofSeconds(30);

  private static final int REPLY_SECONDS = 1;

  private final String url;
  private final Properties properties;
  private final Duration trusted;

  /** Parameters in the URL take precedence over the properties. */
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
          "The URL of the database is not valid; it looks like"
              + " jdbc:postgresql://host:5432/database");
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
              // A pool that is about to validate changes this first.
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

  /** Whether nothing has arrived on its socket that says otherwise. */
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
