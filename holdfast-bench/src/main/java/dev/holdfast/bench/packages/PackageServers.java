package dev.holdfast.bench.packages;

import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.cli.database.Address;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Starts servers on the database of the benchmark, and creates their tenants. */
final class PackageServers {
  static final String QUEUE = "default";
  private static final int CONCURRENCY = 50;

  private final Bench bench;
  private @Nullable String admin;

  PackageServers(Bench bench) {
    this.bench = bench;
  }

  /** Where code of packages runs. */
  enum Place {
    /** In the process of the server, as with {@code --trust-packages}. */
    SERVER,
    /** In a process for each tenant, as on any server with several tenants. */
    CHILD
  }

  /**
   * Starts a server.
   *
   * @param queue the queue whose jobs it runs
   */
  HoldfastServer start(Place place, String queue) {
    Address address = bench.server().address();
    Map<String, String> flags = new HashMap<>();
    flags.put("port", "0");
    flags.put("database.url", address.url());
    if (address.user() != null) {
      flags.put("database.user", address.user());
    }
    if (address.password() != null) {
      flags.put("database.password", address.password());
    }
    flags.put("queues", "%s=%d".formatted(queue, CONCURRENCY));
    flags.put("trustPackages", String.valueOf(place == Place.SERVER));
    HoldfastServer server =
        HoldfastServer.start(Configuration.read(null, Map.of(), flags).server(), List.of());
    String created = server.firstKeys().admin();
    if (created != null) {
      admin = created;
    }
    return server;
  }

  /** Creates a tenant, beside the tenant default that each installation has. */
  TenantApi create(HoldfastServer server, String name) throws Exception {
    if (admin == null) {
      throw new BenchException("The server has created no key, although it is new.");
    }
    return TenantApi.create(server.url(), admin, name);
  }
}
