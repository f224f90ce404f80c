package dev.holdfast.server.config;

import dev.holdfast.server.http.Quotas;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.secret.MasterKeys;
import dev.holdfast.server.trace.TraceSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server.
 *
 * @param modes what this process does
 * @param http where it serves
 * @param database the database to use; its URL is null for the embedded one
 * @param dataDir the folder of the embedded database
 * @param environment the name that keys contain, such as {@code live}
 * @param adminKey a key of the installation to accept; null to create one at the first start
 * @param queues how many jobs of each queue and tenant run at the same time on this server
 * @param work how much this server works, and for whom
 * @param packages how packages run
 * @param drain how long running jobs may take when the server stops
 * @param keepAudit how long entries of the audit log are kept
 * @param tracing where traces are sent; null for nowhere
 * @param secrets the keys that encrypt the secrets of tenants; null if there are no secrets
 */
public record ServerConfig(
    Set<ServerMode> modes,
    Http http,
    Database database,
    Path dataDir,
    String environment,
    @Nullable String adminKey,
    Map<String, Integer> queues,
    Work work,
    Packages packages,
    Duration drain,
    Duration keepAudit,
    @Nullable TraceSettings tracing,
    @Nullable MasterKeys secrets) {

  /**
   * Where and how the server serves.
   *
   * @param basePath what all paths start with; empty for nothing
   * @param bodyLimit the largest body of a request, in bytes
   * @param requestsPerSecond how many requests a second each key may make; 0 for no limit
   * @param tls the certificate; null to serve without TLS
   * @param proxies the addresses and ranges of trusted proxies
   * @param timeouts how long clients may take
   * @param quotas how much each tenant may have
   */
  public record Http(
      String host,
      int port,
      String basePath,
      int bodyLimit,
      int requestsPerSecond,
      @Nullable Tls tls,
      List<String> proxies,
      Timeouts timeouts,
      Quotas.Limits quotas) {

    /** Checks and copies the values. */
    public Http {
      proxies = List.copyOf(proxies);
      check(port >= 0 && port <= 65_535, "port %s is not valid: give 0 to 65535.", port);
      check(
          basePath.isEmpty() || basePath.matches("(/[A-Za-z0-9._~-]+)+"),
          "basePath '%s' is not valid: give a path such as /holdfast.",
          basePath);
      check(
          bodyLimit >= 1_024 && bodyLimit <= 1 << 28,
          "bodyLimit %s is not valid: give 1024 to 268435456 bytes.",
          bodyLimit);
      check(
          requestsPerSecond >= 0,
          "requestsPerSecond %s is not valid: give 0 for no limit, or a positive number.",
          requestsPerSecond);
    }
  }

  /** The PEM files of the certificate, with its chain, and of its key. */
  public record Tls(Path certificate, Path key) {}

  /**
   * How long clients may take.
   *
   * @param idle how long nothing may arrive or leave on a connection that serves no request
   * @param request how long a request may take to arrive, and a response to be read
   */
  public record Timeouts(Duration idle, Duration request) {

    /** Checks the values. */
    public Timeouts {
      check(isPositive(idle), "idleTimeout %s is not valid: give more than zero.", idle);
      check(isPositive(request), "requestTimeout %s is not valid: give more than zero.", request);
    }

    private static boolean isPositive(Duration duration) {
      return !duration.isNegative() && !duration.isZero();
    }
  }

  /**
   * The database.
   *
   * @param url null for the embedded one
   * @param poolSize how many connections all tenants share
   */
  public record Database(
      @Nullable String url,
      @Nullable String user,
      @Nullable String password,
      String schema,
      int poolSize) {

    /** Checks the values. */
    public Database {
      check(poolSize >= 2, "database.poolSize %s is not valid: give at least 2.", poolSize);
    }
  }

  /**
   * How much a server works, and for whom.
   *
   * @param concurrency how many jobs run at the same time, of all tenants together
   * @param tenants the tenants that it works for; empty for all
   * @param tenantIdle how long it stays in a tenant without work; the same for all servers
   * @param nodeTimeout how long it may be silent before other servers take over its jobs
   */
  public record Work(
      int concurrency, Set<String> tenants, Duration tenantIdle, Duration nodeTimeout) {

    /** Checks the values. */
    public Work {
      check(concurrency >= 1, "concurrency %s is not valid: give at least 1.", concurrency);
      check(
          tenantIdle.compareTo(Duration.ofSeconds(1)) >= 0,
          "tenantIdle %s is not valid: give at least PT1S.",
          tenantIdle);
      check(
          nodeTimeout.compareTo(Duration.ofSeconds(4)) >= 0,
          "nodeTimeout %s is not valid: give at least PT4S.",
          nodeTimeout);
      tenants = Set.copyOf(tenants);
      tenants.forEach(name ->
          check(
              name.matches("[a-z][a-z0-9-]{1,39}"),
              "tenants contains '%s', which is not the name of a tenant.",
              name));
    }
  }

  /**
   * How packages run.
   *
   * @param trust whether their code runs in this process although there are several tenants
   * @param heap the heap of the process of a tenant, in MB
   * @param cpus how many CPUs that process may use; 0 for half of them
   * @param files how many files and connections it may have open
   * @param threads how many threads and processes it may have
   */
  public record Packages(boolean trust, int heap, int cpus, int files, int threads) {

    /** Checks the values. */
    public Packages {
      check(
          heap >= 32 && heap <= 1 << 20,
          "packages.heap %s is not valid: give 32 to 1048576 MB.",
          heap);
      check(
          cpus >= 0 && cpus <= 1024,
          "packages.cpus %s is not valid: give 1 to 1024, or 0 for half of the CPUs.",
          cpus);
      check(
          files >= 128 && files <= 1 << 20,
          "packages.files %s is not valid: give 128 to 1048576.",
          files);
      check(
          threads >= 64 && threads <= 1 << 20,
          "packages.threads %s is not valid: give 64 to 1048576.",
          threads);
    }
  }

  /** Checks and copies the values. */
  public ServerConfig {
    modes = Set.copyOf(EnumSet.copyOf(modes));
    check(
        KeyText.ENVIRONMENT.matcher(environment).matches(),
        "environment '%s' is not valid: use 1 to 16 characters of a-z, 0-9 and -, starting with a"
            + " letter.",
        environment);
    queues = Map.copyOf(queues);
    queues.forEach((queue, most) ->
        check(most >= 1, "queues.%s cannot run %s jobs: give at least 1.", queue, most));
    check(
        keepAudit.compareTo(Duration.ofHours(1)) >= 0,
        "keepAudit %s is not valid: give at least PT1H.",
        keepAudit);
    check(!drain.isNegative(), "drain %s is not valid: give zero or more.", drain);
  }

  @SuppressWarnings("AnnotateFormatMethod") // The annotation would be another dependency.
  private static void check(boolean valid, String message, Object... values) {
    if (!valid) {
      throw new ConfigException(message.formatted(values));
    }
  }

  /** Returns whether this server does what a mode says. */
  public boolean is(ServerMode mode) {
    return modes.contains(mode);
  }
}
