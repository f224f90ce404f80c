package dev.holdfast.cli.database;

import dev.holdfast.postgres.PostgresSettings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The URL and credentials of a database.
 *
 * @param user null to use the one in the URL
 * @param password null to use the one in the URL or in {@code ~/.pgpass}
 */
public record Address(String url, @Nullable String user, @Nullable String password) {

  /** Returns a settings builder for a store in a schema of this database. */
  public PostgresSettings.Builder settings(String schema) {
    return PostgresSettings.builder(url).user(user).password(password).schema(schema);
  }

  /** Opens a connection outside the store's pool, for statements that may take long. */
  public Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", "holdfast-cli");
    // A server that accepts a connection and then stays silent must not block a command forever.
    properties.setProperty("connectTimeout", "10");
    properties.setProperty("loginTimeout", "20");
    properties.setProperty("tcpKeepAlive", "true");
    // Prepare statements on the server at their first use, not at the fifth.
    properties.setProperty("prepareThreshold", "1");
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", password);
    }
    return DriverManager.getConnection(url, properties);
  }

  /** Returns the URL without its parameters, which may contain a password. */
  @Override
  public String toString() {
    int parameters = url.indexOf('?');
    return parameters < 0 ? url : url.substring(0, parameters);
  }
}
