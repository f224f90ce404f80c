package dev.holdfast.server.boot;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.load.DryLoad;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.api.BacklogRoutes;
import dev.holdfast.server.api.SecretRoutes;
import dev.holdfast.server.api.Services;
import dev.holdfast.server.api.StreamRoutes;
import dev.holdfast.server.api.SystemRoutes;
import dev.holdfast.server.api.WorkerRoutes;
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
import dev.holdfast.server.key.Keys;
import dev.holdfast.server.metrics.Backlogs;
import dev.holdfast.server.metrics.ServerMetrics;
import dev.holdfast.server.node.ControlNodes;
import dev.holdfast.server.node.Hints;
import dev.holdfast.server.node.Holds;
import dev.holdfast.server.node.ServerNode;
import dev.holdfast.server.node.ServerNodes;
import dev.holdfast.server.node.ServerProcess;
import dev.holdfast.server.node.TenantChanges;
import dev.holdfast.server.node.TenantLinks;
import dev.holdfast.server.node.TenantSignals;
import dev.holdfast.server.node.WorkerNodes;
import dev.holdfast.server.packages.PackageCatalog;
import dev.holdfast.server.packages.PackageNodes;
import dev.holdfast.server.packages.PackageStore;
import dev.holdfast.server.packages.PackageUploads;
import dev.holdfast.server.packages.Packages;
import dev.holdfast.server.secret.TenantSecrets;
import dev.holdfast.server.tenant.SchemaTenants;
import dev.holdfast.server.tenant.TenantMigrations;
import dev.holdfast.server.tenant.Tenants;
import dev.holdfast.server.trace.RequestSpans;
import dev.holdfast.server.trace.ServerTraces;
import dev.holdfast.server.trace.TraceSettings;
import dev.holdfast.server.worker.RemoteWorkers;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server.
 *
 * <p>Closing the server drains it: it accepts no more requests, serves those that have arrived, and
 * lets running jobs finish. Meanwhile it still serves probes and metrics, and reports that it is
 * not ready. Then it closes everything in the reverse order of the start.
 */
public final class HoldfastServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HoldfastServer.class);
  private static final String DATABASE = "holdfast";
  private static final Duration TENANT_GRACE = Duration.ofDays(7);

  private final ServerConfig config;
  private final List<TaskModule> modules;
  private final CloseStack closing = new CloseStack();
  private final ServerMetrics metrics = new ServerMetrics();
  private FirstKeys firstKeys = new FirstKeys(null, null);
  private @Nullable SchemaTenants tenants;
  private volatile @Nullable ServerNode node;
  private volatile @Nullable HttpEndpoint http;
  private volatile boolean draining;
  private volatile boolean stoppedNow;
  private @Nullable ServerTraces traces;
  private @Nullable TenantSecrets secrets;
  private volatile @Nullable PackageNodes packageNodes;
  private @Nullable Thread packagesClosing;

  private HoldfastServer(ServerConfig config, List<TaskModule> modules) {
    this.config = config;
    this.modules = modules;
  }

  /** Starts a server with the task modules on the class path. */
  public static HoldfastServer start(ServerConfig config) {
    return start(config, onClassPath());
  }

  /**
   * Starts a server with the task modules on the class path, sample workflows and a light load of
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
    TraceSettings tracing = config.tracing();
    if (tracing != null) {
      ServerTraces sending = new ServerTraces(tracing);
      traces = sending;
      closing.push(sending::close);
    }
    DatabaseAddress address = database();
    ControlDatabase control = ControlDatabase.connect(address, config.database().schema());
    closing.push(control::close);
    KeyStore keys = new KeyStore(control, config.environment());
    AuditLog audit = new AuditLog(control);
    TenantSecrets stored = new TenantSecrets(control, audit, config.secrets(), System::nanoTime);
    stored.warnOfUnknownKeys();
    secrets = stored;
    String schema = config.database().schema();
    SharedConnections connections =
        SharedConnections.open(
            address
                .settings(schema)
                .poolSize(config.database().poolSize())
                .name("holdfast-server")
                .build());
    closing.push(connections::close);
    TenantSignals signals = new TenantSignals(connections.coordinator(schema));
    closing.push(signals::close);
    Holds holds = new Holds(schema);
    Hints hints = new Hints(connections.control(schema), schema);
    PackageStore packageStore = new PackageStore(control);
    PackageCatalog catalog = new PackageCatalog(packageStore);
    catalog.refresh();
    NodeSetup setup = new NodeSetup(config, modules, metrics, stored, catalog, traces);
    NodeBuilder sample = setup.sample(connections);
    FairSlots slots =
        new FairSlots(config.work().concurrency(), Ticker.system(), this::hasSeveralTenants);
    ControlNodes processes =
        new ControlNodes(
            connections.control(schema),
            connections.heart(schema),
            connections.session(),
            slots::used,
            setup.hasNode() ? sample.declarations() : "");
    ServerProcess process =
        new ServerProcess(processes, holds, signals, connections.control(schema));
    NodeCore.Settings registration = setup.registration(sample);
    TenantChanges changes = new TenantChanges(process, holds, hints, config.work().tenantIdle());
    TenantLinks links = new TenantLinks(connections, holds, signals, process, changes);
    if (traces != null) {
      links.tracing(traces);
    }
    links.origins(catalog::origin);
    TenantMigrations migrations =
        new TenantMigrations(control, SchemaScripts.load(connections.migrating()));
    migrations.requireKnown();
    SchemaTenants all =
        new SchemaTenants(
            control, keys, audit, new SchemaTenants.Settings(TENANT_GRACE, migrations, links));
    tenants = all;
    closing.push(all::close);
    closing.push(process::close);
    process.start(registration, metrics.registry());
    closing.push(changes::close);
    changes.start();
    firstKeys = new FirstStart(control, keys, all, audit).run(config.adminKey());
    all.refresh();
    metrics.pool("control", control::pool);
    metrics.pool("tenants", connections::use);
    metrics.tenants(all);
    // Closed after the node has drained: until then, probes and metrics show its progress.
    closing.push(this::closeHttp);
    Idempotency idempotency = new Idempotency(control);
    Refusals refusals = new Refusals(audit, InstantSource.system());
    LiveServers servers = new LiveServers(control, System::nanoTime);
    closing.push(servers::close);
    PackageGateway gateway = null;
    if (config.is(ServerMode.WORKER)) {
      gateway =
          new PackageGateway(
              config,
              new RemoteWorkers(new WorkerNodes(connections, schema, holds, signals)),
              stored,
              accepted ->
                  pipeline(
                      accepted.http(),
                      accepted.router(),
                      accepted.keys(),
                      idempotency,
                      refusals,
                      servers));
      closing.push(gateway::close);
    }
    closing.push(this::awaitPackages);
    if (setup.hasNode()) {
      ServerNode own =
          new ServerNode(
              setup.settings(registration),
              process,
              changes,
              hints,
              slots,
              new TenantDirectory(all));
      links.node(own);
      startNode(own);
      all.opened().forEach(tenant -> own.changed(tenant.tenant()));
    }
    if (gateway != null) {
      Supplier<ServerProcess> fresh =
          () ->
              new ServerProcess(
                  new ControlNodes(
                      connections.control(schema),
                      connections.heart(schema),
                      connections.session(),
                      slots::used,
                      ""),
                  holds,
                  signals,
                  connections.control(schema));
      startPackages(
          new PackageNodes(
              new TrustedPackages(setup, registration, all, links, slots, fresh),
              gateway,
              catalog,
              packageStore));
    }
    KeyRing ring = new KeyRing(keys, InstantSource.system(), System::nanoTime);
    Upkeep upkeep =
        new Upkeep(
                all,
                migrations,
                ring,
                new Upkeep.Kept(idempotency, audit, config.keepAudit()),
                refusals)
            .working(tenant -> node != null && node.isActive(tenant))
            .start(config.is(ServerMode.SCHEDULER));
    closing.push(upkeep::close);
    ServerNodes nodes = new ServerNodes(processes, holds, connections.control(schema));
    Packages packages = packages(catalog, packageStore, audit);
    Services services =
        new Services(control, keys, ring, all, nodes, audit, packages, cursors(control));
    RemoteWorkers workers = new RemoteWorkers(new WorkerNodes(connections, schema, holds, signals));
    serve(services, workers, idempotency, refusals, servers);
  }

  private Packages packages(PackageCatalog catalog, PackageStore store, AuditLog audit) {
    PackageUploads uploads =
        new PackageUploads(
            store,
            audit,
            PackageLimits.DEFAULT,
            DryLoad.Settings.DEFAULT,
            () -> {
              catalog.refresh();
              PackageNodes nodes = packageNodes;
              if (nodes != null) {
                nodes.changed();
              }
            });
    return new Packages(store, uploads, PackageLimits.DEFAULT);
  }

  private void startPackages(PackageNodes nodes) {
    packageNodes = nodes;
    closing.push(() -> {
      if (stoppedNow) {
        nodes.stopNow();
      }
      // While the node of the server drains, too.
      packagesClosing = Thread.ofPlatform().name("holdfast-packages-closing").start(nodes::close);
    });
    nodes.start();
  }

  private void awaitPackages() {
    Thread unfinished = packagesClosing;
    try {
      if (unfinished != null) {
        unfinished.join();
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
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

  private void serve(
      Services services,
      RemoteWorkers workers,
      Idempotency idempotency,
      Refusals refusals,
      LiveServers servers) {
    SystemRoutes system = new SystemRoutes(this::notReady, metrics::scrape);
    StreamRoutes streams = new StreamRoutes(services.nodes());
    List<Route> routes = routes(system, services, streams, workers);
    ServerConfig.Http settings = config.http();
    Pipeline pipeline =
        pipeline(settings, new Router(routes), services.ring(), idempotency, refusals, servers);
    HttpEndpoint endpoint =
        new HttpEndpoint(
            JavalinServer.start(pipeline, settings), pipeline, routes, streams.feeds());
    http = endpoint;
    closing.push(() -> endpoint.drain(config.drain(), workers));
    log.info("Serving {} as {}", url(), config.modes());
  }

  private Pipeline pipeline(
      ServerConfig.Http settings,
      Router router,
      Keys keys,
      Idempotency idempotency,
      Refusals refusals,
      LiveServers servers) {
    return new Pipeline(
        router,
        keys,
        Objects.requireNonNull(tenants),
        idempotency,
        new Pipeline.Settings(
            settings.basePath(),
            settings.bodyLimit(),
            settings.requestsPerSecond(),
            settings.timeouts().request(),
            TrustedProxies.of(settings.proxies()),
            refusals,
            new Pipeline.Shares(new Quotas(settings.quotas(), System::nanoTime), servers),
            metrics,
            new RequestSpans(traces)));
  }

  private List<Route> routes(
      SystemRoutes system, Services services, StreamRoutes streams, RemoteWorkers workers) {
    boolean api = config.is(ServerMode.API);
    List<Route> all =
        new ArrayList<>(
            api ? system.withApi(services, streams, new WorkerRoutes(workers)) : system.probes());
    SchemaTenants known = Objects.requireNonNull(tenants);
    Backlogs backlogs = new Backlogs(services.control(), known::find, System::nanoTime).start();
    closing.push(backlogs::close);
    BacklogRoutes waiting = new BacklogRoutes(backlogs);
    all.addAll(waiting.ofInstallation());
    if (api) {
      all.addAll(waiting.ofTenants());
      all.addAll(new SecretRoutes(services, Objects.requireNonNull(secrets)).routes());
    }
    return all;
  }

  private void closeHttp() {
    HttpEndpoint endpoint = http;
    if (endpoint != null) {
      endpoint.close();
    }
  }

  private boolean hasSeveralTenants() {
    SchemaTenants all = tenants;
    return all != null && all.opened().size() > 1;
  }

  private void startNode(ServerNode own) {
    node = own;
    closing.push(() -> {
      if (stoppedNow) {
        own.stopNow();
      }
      own.close();
    });
    own.start();
    metrics.node(own::load);
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
    ServerNode own = node;
    if (own != null && !own.isReady()) {
      reasons.add("The node of this server cannot work at present.");
    }
    return reasons;
  }

  /** Returns the address of the API. */
  public URI url() {
    HttpEndpoint endpoint = http;
    return HttpEndpoint.url(
        config.http(), endpoint == null ? config.http().port() : endpoint.server().port());
  }

  /** Returns its tenants, for programs that start a server in their own process. */
  public Tenants tenants() {
    SchemaTenants all = tenants;
    if (all == null) {
      throw new IllegalStateException("The server has not been started");
    }
    return all;
  }

  /** Returns the number of tenants in which this server currently works. */
  public int activeTenants() {
    ServerNode own = node;
    return own == null ? 0 : own.activeTenants();
  }

  /** Returns the versions of packages that are loaded in its process, as {@code name@version}. */
  public List<String> loadedPackages() {
    PackageNodes nodes = packageNodes;
    return nodes == null ? List.of() : nodes.loaded();
  }

  /** Returns the routes that it serves. */
  public List<Route> routes() {
    HttpEndpoint endpoint = http;
    return endpoint == null ? List.of() : endpoint.routes();
  }

  /** Returns the keys that this start has created. */
  public FirstKeys firstKeys() {
    return firstKeys;
  }

  /** Returns how many connections are open. */
  public int connections() {
    HttpEndpoint endpoint = http;
    return endpoint == null ? 0 : endpoint.server().connections();
  }

  /** Returns how many clients watch a stream of changes. */
  public int watching() {
    HttpEndpoint endpoint = http;
    return endpoint == null ? 0 : endpoint.feeds().clients();
  }

  /** Interrupts running jobs, so that a {@link #close} that waits for them returns soon. */
  public void stopNow() {
    stoppedNow = true;
    HttpEndpoint endpoint = http;
    if (endpoint != null) {
      endpoint.server().abandonServed();
    }
    ServerNode own = node;
    if (own != null) {
      own.stopNow();
    }
    PackageNodes nodes = packageNodes;
    if (nodes != null) {
      nodes.stopNow();
    }
  }

  @Override
  public void close() {
    draining = true;
    closing.close();
  }
}
