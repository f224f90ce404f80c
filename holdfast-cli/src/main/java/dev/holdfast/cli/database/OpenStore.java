package dev.holdfast.cli.database;

import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.PostgresStore;
import org.jspecify.annotations.Nullable;

/**
 * A store, and the embedded server below it if it is on one.
 *
 * @param server null for a database that the user named
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
