package dev.holdfast.cli.testing;

import dev.holdfast.cli.Cli;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import java.util.List;
import java.util.Map;

/** A real server on a loopback port, on its own real database, and the command as its client. */
public final class CliServer implements AutoCloseable {
  private final TestDatabase database = SharedServer.freshDatabase();
  private final HoldfastServer server;

  public CliServer() {
    Map<String, String> flags =
        Map.of(
            "port", "0",
            "database.url", database.jdbcUrl(),
            "database.user", database.user(),
            "database.password", database.password(),
            "database.poolSize", "4",
            "queues", "default=5",
            "secrets.key", "bWFzdGVyIGtleSBvZiB0ZXN0cywgMzIgYnl0ZXMgISE=",
            "drain", "PT2S");
    this.server =
        HoldfastServer.start(
            Configuration.read(null, Map.of(), flags).server(), List.of(new DemoModule()));
  }

  public String url() {
    return server.url().toString();
  }

  public String adminKey() {
    return String.valueOf(server.firstKeys().admin());
  }

  public String tenantKey() {
    return String.valueOf(server.firstKeys().tenant());
  }

  /** Runs the command with the first key of tenant default. */
  public Cli run(String... args) {
    return as(tenantKey(), args);
  }

  /** Runs the command with the key of the installation. */
  public Cli admin(String... args) {
    return as(adminKey(), args);
  }

  /** Runs the command with any key. */
  public Cli as(String key, String... args) {
    return Cli.with(Map.of("HOLDFAST_URL", url(), "HOLDFAST_KEY", key), args);
  }

  @Override
  public void close() {
    server.close();
    database.close();
  }
}
