package dev.holdfast.cli.database;

import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.PostgresStore;
import org.jspecify.annotations.Nullable;

/**
 * An open store, and the embedded server that it is on, if any.
 *
 * @param server null for a database given by the user
 */
public record OpenStore(PostgresStore store, @Nullable EmbeddedPostgres server)
    implements AutoCloseable {

  @Override
  public void close() {
    store.close();
    if (server != null) {
      server.close();
    }
  }
}
