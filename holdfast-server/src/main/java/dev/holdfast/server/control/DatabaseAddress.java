package dev.holdfast.server.control;

import dev.holdfast.postgres.PostgresSettings;
import org.jspecify.annotations.Nullable;

/**
 * The URL and credentials of the database.
 *
 * @param user null to use the one in the URL
 * @param password null to use the one in the URL or in {@code ~/.pgpass}
 */
public record DatabaseAddress(String url, @Nullable String user, @Nullable String password) {

  /** Returns a settings builder for a store in a schema of this database. */
  public PostgresSettings.Builder settings(String schema) {
    return PostgresSettings.builder(url).user(user).password(password).schema(schema);
  }

  /** Returns the URL without its parameters, which may contain a password. */
  @Override
  public String toString() {
    int parameters = url.indexOf('?');
    return parameters < 0 ? url : url.substring(0, parameters);
  }
}
