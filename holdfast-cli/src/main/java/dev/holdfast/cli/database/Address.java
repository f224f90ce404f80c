package dev.holdfast.cli.database;

import dev.holdfast.postgres.PostgresSettings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Where a database is and how to get in.
 *
 * @param user null to leave it to the URL
 * @param password null to leave it to the URL, or to {@code ~/.pgpass}
 */
public record Address(String url, @Nullable String user, @Nullable String password) {

  /** Settings of a store there, to be completed. */
  public PostgresSettings.Builder settings(String schema) {
    return PostgresSettings.builder(url).user(user).password(password).schema(schema);
  }

  /** A connection of one's own, for statements that may take their time. */
  public Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", "holdfast-cli");
    // A server that accepts a connection and then says nothing must not hold a command up for ever.
    properties.setProperty("connectTimeout", "10");
    properties.setProperty("loginTimeout", "20");
    properties.setProperty("tcpKeepAlive", "true");
    // Statements are prepared on the server from their first use on.
    properties.setProperty("prepareThreshold", "1");
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", password);
    }
    return DriverManager.getConnection(url, properties);
  }

  /** The URL without what may be secret. */
  @Override
  public String toString() {
    int parameters = url.indexOf('?');
    return parameters < 0 ? url : url.substring(0, parameters);
  }
}
