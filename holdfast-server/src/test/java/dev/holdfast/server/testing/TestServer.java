package dev.holdfast.server.testing;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.config.ServerConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A real server on a loopback port, on its own real database. */
public final class TestServer implements AutoCloseable {
  /** The master key of secrets: 32 bytes. */
  public static final String MASTER_KEY = "bWFzdGVyIGtleSBvZiB0ZXN0cywgMzIgYnl0ZXMgISE=";

  private final TestDatabase database = SharedServer.freshDatabase();
  private final TestTasks tasks = new TestTasks();
  private final List<HoldfastServer> servers = new ArrayList<>();
  private final String admin;
  private final String tenantKey;

  public TestServer(Map<String, String> settings) {
    HoldfastServer first = start(settings);
    this.admin = first.firstKeys().admin();
    this.tenantKey = first.firstKeys().tenant();
  }

  public TestServer() {
    this(Map.of());
  }

  /** The configuration of a server on the same database. */
  public ServerConfig config(Map<String, String> settings) {
    Map<String, String> flags =
        new HashMap<>(
            Map.of(
                "port",
                "0",
                "database.url",
                database.jdbcUrl(),
                "database.user",
                database.user(),
                "database.password",
                database.password(),
                "database.poolSize",
                "4",
                "queues",
                "default=5",
                "secrets.key",
                MASTER_KEY,
                "drain",
                "PT2S"));
    flags.putAll(settings);
    return Configuration.read(null, Map.of(), flags).server();
  }

  /** Starts another server on the same database. */
  public HoldfastServer start(Map<String, String> settings) {
    HoldfastServer server = HoldfastServer.start(config(settings), List.of(tasks));
    servers.add(server);
    return server;
  }

  /** Starts another server on the same database, with other tasks too. */
  public HoldfastServer startAs(Map<String, String> settings, TaskModule module) {
    HoldfastServer server = HoldfastServer.start(config(settings), List.of(tasks, module));
    servers.add(server);
    return server;
  }

  public TestDatabase database() {
    return database;
  }

  public TestTasks tasks() {
    return tasks;
  }

  public HoldfastServer server() {
    return servers.getFirst();
  }

  public String adminKey() {
    return admin;
  }

  public String tenantKey() {
    return tenantKey;
  }

  /** A client with the key of the installation. */
  public ApiClient admin() {
    return new ApiClient(server().url(), admin);
  }

  /** A client with the first key of tenant default. */
  public ApiClient tenant() {
    return new ApiClient(server().url(), tenantKey);
  }

  /** Creates a tenant and returns a client with its first key. */
  public ApiClient newTenant(String name) {
    Reply reply = admin().post("/v1/tenants", "{\"name\":\"%s\"}".formatted(name)).expect(201);
    return new ApiClient(server().url(), reply.text("key"));
  }

  /** Creates a key in tenant default. */
  public ApiClient newKey(String body) {
    return tenant()
        .with(tenant().post("/v1/tenants/default/api-keys", body).expect(201).text("key"));
  }

  @Override
  public void close() {
    tasks.release.release(1_000);
    servers.reversed().forEach(HoldfastServer::close);
    database.close();
  }
}
