package dev.holdfast.cli.connect;

import dev.holdfast.cli.database.OpenStore;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.server.api.LocalApi;
import java.io.PrintWriter;

/** Opens sessions for tests of what is below a command. */
public final class Sessions {

  private Sessions() {}

  /** Works in a session on a database. */
  public static int on(TestDatabase database, PrintWriter out, Target.Work work) {
    PostgresStore store =
        PostgresStore.connect(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .build());
    try (Session session =
        new Session(
            new DatabaseApi(new OpenStore(store, null)), LocalApi.TENANT, false, out, out)) {
      return work.on(session);
    }
  }
}
