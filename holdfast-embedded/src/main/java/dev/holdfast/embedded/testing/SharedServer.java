package dev.holdfast.embedded.testing;

import dev.holdfast.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server shared by all tests of this JVM. It starts at first use, and is stopped and deleted
 * when the JVM ends.
 */
public final class SharedServer {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private SharedServer() {}

  /** Returns the server. A test that stops or kills a server must start a separate one instead. */
  public static EmbeddedPostgres server() {
    return Holder.SERVER;
  }

  /** Creates an empty database for the caller alone. */
  public static TestDatabase freshDatabase() {
    return createFrom("template0");
  }

  /**
   * Creates a copy of a database for the caller alone. Copying tables is much faster than migrating
   * them. Terminates all connections to the original, because the server copies no database that is
   * in use.
   */
  public static TestDatabase copyOf(TestDatabase original) {
    // Waits for each session to end: one that was just closed may still be there.
    execute(
        "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = '%s'"
            .formatted(original.name()));
    return createFrom(original.name());
  }

  private static TestDatabase createFrom(String template) {
    EmbeddedPostgres server = server();
    String name = "test_" + DATABASES.incrementAndGet();
    execute("CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY wal_log");
    return new TestDatabase(name, server.jdbcUrl(name), server.user(), server.password());
  }

  static void drop(String name) {
    execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
  }

  private static void execute(String sql) {
    try (Connection connection = server().connect("postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("The shared test server rejected the statement: " + sql, e);
    }
  }

  private static final class Holder {
    static final EmbeddedPostgres SERVER =
        EmbeddedPostgres.temporary()
            .setting("max_connections", "200")
            .setting("shared_buffers", "32MB")
            .start();
  }
}
