package dev.holdfast.server.boot;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.postgres.PoolUse;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.server.api.Services;
import dev.holdfast.server.api.StreamRoutes;
import dev.holdfast.server.api.SystemRoutes;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.audit.Refusals;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.config.ServerMode;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.demo.DemoModule;
import dev.holdfast.server.demo.DemoTraffic;
import dev.holdfast.server.http.Cursors;
import dev.holdfast.server.http.Idempotency;
import dev.holdfast.server.http.LiveServers;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.http.Quotas;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.http.Router;
import dev.holdfast.server.http.TrustedProxies;
import dev.holdfast.server.javalin.JavalinServer;
import dev.holdfast.server.key.KeyRing;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.metrics.ServerMetrics;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.SchemaTenants;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server.
 *
 * <p>Closing it drains: it accepts no more requests, lets running jobs finish, and closes
 * everything in the reverse order of the start.
 */
public final class HoldfastServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HoldfastServer.class);
  private static final String DATABASE = "holdfast";
  private static final Duration TENANT_GRACE = Duration.ofDays(7);

  private final ServerConfig config;
  private final List<TaskModule> modules;
  private final Deque<Runnable> closing = new ArrayDeque<>();
  private final ServerMetrics metrics = new ServerMetrics();
  private FirstKeys firstKeys = new FirstKeys(null, null);
  private @Nullable SchemaTenants tenants;
  private @Nullable JavalinServer http;
  private List<Route> routes = List.of();
  private volatile boolean draining;

  private HoldfastServer(ServerConfig config, List<TaskModule> modules) {
    this.config = config;
    this.modules = modules;
  }

  /** Starts a server with the task modules on the class path. */
  public static HoldfastServer start(ServerConfig config) {
    return start(config, onClassPath());
  }

  /**
   * Starts a server with the task modules on the class path, sample workflows and a trickle of
   * work.
   *
   * @param pace how often work is created
   */
  public static HoldfastServer startDemo(ServerConfig config, Duration pace) {
    List<TaskModule> modules = new ArrayList<>(onClassPath());
    modules.add(new DemoModule());
    HoldfastServer server = start(config, modules);
    SchemaTenants all = server.tenants;
    if (all != null) {
      DemoTraffic traffic = new DemoTraffic(all).start(pace);
      server.closing.push(traffic::close);
    }
    return server;
  }

  private static List<TaskModule> onClassPath() {
    return ServiceLoader.load(TaskModule.class).stream().map(ServiceLoader.Provider::get).toList();
  }

  /**
   * Starts a server. If it throws, nothing keeps running.
   *
   * @throws dev.holdfast.api.HoldfastException if the configuration is not valid, or the database
   *     or the port cannot be used
   */
  public static HoldfastServer start(ServerConfig config, List<TaskModule> modules) {
    HoldfastServer server = new HoldfastServer(config, modules);
    try {
      server.open();
    } catch (RuntimeException | Error failure) {
      server.close();
      throw failure;
    }
    return server;
  }

  private void open() {
    closing.push(metrics::close);
    DatabaseAddress address = database();
    ControlDatabase control = ControlDatabase.connect(address, config.database().schema());
    closing.push(control::close);
    KeyStore keys = new KeyStore(control, config.environment());
    AuditLog audit = new AuditLog(control);
    SchemaTenants all =
        new SchemaTenants(
            control,
            keys,
            audit,
            new SchemaTenants.Settings(
                address, config.database().poolSize(), TENANT_GRACE, this::startNode));
    tenants = all;
    closing.push(all::close);
    firstKeys = new FirstStart(control, keys, all, audit).run(config.adminKey());
    all.refresh();
    metrics.pool("control", control::pool);
    metrics.pool("tenants", () -> pools(all));
    metrics.tenants(all);
    KeyRing ring = new KeyRing(keys, InstantSource.system(), System::nanoTime);
    Idempotency idempotency = new Idempotency(control);
    Refusals refusals = new Refusals(audit, InstantSource.system());
    Upkeep upkeep =
        new Upkeep(all, ring, new Upkeep.Kept(idempotency, audit, config.keepAudit()), refusals)
            .start(config.is(ServerMode.SCHEDULER));
    closing.push(upkeep::close);
    Services services = new Services(control, keys, ring, all, audit, cursors(control));
    serve(services, idempotency, refusals);
  }

  private static PoolUse pools(SchemaTenants tenants) {
    return tenants.opened().stream()
        .map(tenant -> tenant.store() instanceof PostgresStore own ? own.pool() : PoolUse.NONE)
        .reduce(PoolUse.NONE, PoolUse::and);
  }

  private static Cursors cursors(ControlDatabase control) {
    return new Cursors(control.secret("cursor"));
  }

  private DatabaseAddress database() {
    ServerConfig.Database given = config.database();
    if (given.url() != null) {
      return new DatabaseAddress(given.url(), given.user(), given.password());
    }
    EmbeddedPostgres embedded =
        EmbeddedPostgres.at(config.dataDir().resolve("postgres"))
            .stopOnExit(false)
            .setting("max_connections", "300")
            .setting("max_locks_per_transaction", "256")
            .start();
    closing.push(embedded::close);
    embedded.createDatabase(DATABASE);
    return new DatabaseAddress(embedded.jdbcUrl(DATABASE), embedded.user(), embedded.password());
  }

  private void serve(Services services, Idempotency idempotency, Refusals refusals) {
    SystemRoutes system = new SystemRoutes(this::notReady, metrics::scrape);
    StreamRoutes streams = new StreamRoutes();
    routes = config.is(ServerMode.API) ? system.withApi(services, streams) : system.probes();
    ServerConfig.Http settings = config.http();
    LiveServers servers = new LiveServers(services.control(), System::nanoTime);
    closing.push(servers::close);
    Pipeline pipeline =
        new Pipeline(
            new Router(routes),
            services.ring(),
            services.tenants(),
            idempotency,
            new Pipeline.Settings(
                settings.basePath(),
                settings.bodyLimit(),
                settings.requestsPerSecond(),
                settings.timeouts().request(),
                TrustedProxies.of(settings.proxies()),
                refusals,
                new Pipeline.Shares(
                    new Quotas(any -> settings.quotas(), System::nanoTime), servers),
                metrics));
    JavalinServer server = JavalinServer.start(pipeline, settings);
    http = server;
    closing.push(() -> {
      pipeline.stop();
      streams.feeds().close();
      server.close();
    });
    log.info("Serving {} as {}", url(), config.modes());
  }

  /** Starts the node of a tenant; returns null if this server neither runs nor schedules jobs. */
  private @Nullable HoldfastNode startNode(OpenTenant tenant) {
    boolean works = config.is(ServerMode.WORKER);
    if (!works && !config.is(ServerMode.SCHEDULER)) {
      return null;
    }
    NodeBuilder node =
        HoldfastNode.on(tenant.store())
            .application("holdfast-server")
            .meters(metrics.registry())
            .interceptAttempts(metrics.attempts(tenant.tenant().name()))
            .mode(works ? NodeMode.FULL : NodeMode.TRIGGER_ONLY)
            .shutdownGrace(config.drain())
            .keep(
                tenant.tenant().settings().keepHistory(),
                tenant.tenant().settings().keepDeadLetters());
    config.queues().forEach(node::queue);
    modules.forEach(node::install);
    HoldfastNode started = node.start();
    metrics.watch(started);
    return started;
  }

  private List<String> notReady() {
    List<String> reasons = new ArrayList<>();
    SchemaTenants all = tenants;
    if (draining || all == null) {
      reasons.add("The server is stopping.");
      return reasons;
    }
    if (!all.isReachable()) {
      reasons.add("The database cannot be reached.");
    }
    // One broken tenant does not make a server unready.
    List<Boolean> nodes =
        all.opened().stream().map(OpenTenant::nodeIsReady).flatMap(Optional::stream).toList();
    if (!nodes.isEmpty() && !nodes.contains(true)) {
      reasons.add("No node of this server works.");
    }
    return reasons;
  }

  /** Returns the address of the API. */
  public URI url() {
    ServerConfig.Http settings = config.http();
    String host = settings.host().equals("0.0.0.0") ? "localhost" : settings.host();
    int port = http == null ? settings.port() : http.port();
    String scheme = settings.tls() == null ? "http" : "https";
    return URI.create("%s://%s:%d%s".formatted(scheme, host, port, settings.basePath()));
  }

  /** Returns the routes that it serves. */
  public List<Route> routes() {
    return routes;
  }

  /** Returns the keys that this start has created. */
  public FirstKeys firstKeys() {
    return firstKeys;
  }

  /** Interrupts running jobs, so that a close that waits for them ends at once. */
  public void stopNow() {
    SchemaTenants all = tenants;
    if (all != null) {
      all.stopNow();
    }
  }

  @Override
  public void close() {
    draining = true;
    while (true) {
      Runnable next;
      synchronized (closing) {
        next = closing.poll();
      }
      if (next == null) {
        return;
      }
      try {
        next.run();
      } catch (RuntimeException failure) {
        log.warn("Something could not be closed: {}", failure, failure);
      }
    }
  }
}
