package dev.holdfast.server.boot;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.load.DryLoad;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.schema.SchemaScripts;
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
import dev.holdfast.server.node.ControlNodes;
import dev.holdfast.server.node.Hints;
import dev.holdfast.server.node.Holds;
import dev.holdfast.server.node.ServerNode;
import dev.holdfast.server.node.ServerNodes;
import dev.holdfast.server.node.ServerProcess;
import dev.holdfast.server.node.TenantChanges;
import dev.holdfast.server.node.TenantLinks;
import dev.holdfast.server.node.TenantSignals;
import dev.holdfast.server.packages.PackageCatalog;
import dev.holdfast.server.packages.PackageHost;
import dev.holdfast.server.packages.PackageNodes;
import dev.holdfast.server.packages.PackageStore;
import dev.holdfast.server.packages.PackageUploads;
import dev.holdfast.server.packages.Packages;
import dev.holdfast.server.stream.Feeds;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.SchemaTenants;
import dev.holdfast.server.tenant.TenantMigrations;
import dev.holdfast.server.tenant.Tenants;
import dev.holdfast.server.trace.RequestSpans;
import dev.holdfast.server.trace.ServerTraces;
import dev.holdfast.server.trace.TraceSettings;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server.
 *
 * <p>Closing it drains: it accepts no more requests, serves those that have arrived, and lets
 * running jobs finish. Meanwhile probes and metrics are still served, and it is not ready. Then it
 * closes everything in the reverse order of the start.
 */
public final class HoldfastServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HoldfastServer.class);
  private static final String DATABASE = "holdfast";
  private static final String APPLICATION = "holdfast-server";
  private static final Duration TENANT_GRACE = Duration.ofDays(7);

  private final ServerConfig config;
  private final List<TaskModule> modules;
  private final Deque<Runnable> closing = new ArrayDeque<>();
  private final ServerMetrics metrics = new ServerMetrics();
  private FirstKeys firstKeys = new FirstKeys(null, null);
  private @Nullable SchemaTenants tenants;
  private volatile @Nullable ServerNode node;
  private volatile @Nullable JavalinServer http;
  private @Nullable Feeds feeds;
  private List<Route> routes = List.of();
  private volatile boolean draining;
  private volatile boolean stoppedNow;
  private @Nullable ServerTraces traces;
  private volatile @Nullable PackageNodes packageNodes;
  private @Nullable Thread packagesClosing;
  private IntFunction<Function<String, @Nullable String>> stacks = tenant -> name -> null;

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
    NodeBuilder sample = sample(connections);
    FairSlots slots =
        new FairSlots(config.work().concurrency(), Ticker.system(), this::hasSeveralTenants);
    ControlNodes processes =
        new ControlNodes(
            connections.control(schema),
            connections.heart(schema),
            connections.session(),
            slots::used,
            hasNode() ? sample.declarations() : "");
    ServerProcess process =
        new ServerProcess(processes, holds, signals, connections.control(schema));
    NodeCore.Settings registration = registration(sample);
    TenantChanges changes = new TenantChanges(process, holds, hints, config.work().tenantIdle());
    TenantLinks links = new TenantLinks(connections, holds, signals, process, changes);
    if (traces != null) {
      links.tracing(traces);
    }
    PackageStore packageStore = new PackageStore(control);
    PackageCatalog catalog = new PackageCatalog(packageStore);
    catalog.refresh();
    links.origins(catalog::origin);
    TenantMigrations migrations =
        new TenantMigrations(control, SchemaScripts.load(connections.migrating()));
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
    // After the node has drained: until then, probes and metrics tell how it goes.
    closing.push(this::closeHttp);
    closing.push(this::awaitPackages);
    if (hasNode()) {
      stacks = tenant -> name -> catalog.stack(tenant, name);
      startNode(
          links, registration, slots, new ServerNode.Parts(process, changes, hints, signals), all);
    }
    if (config.is(ServerMode.WORKER)) {
      IntSupplier used = slots::used;
      Supplier<ServerProcess> fresh =
          () ->
              new ServerProcess(
                  new ControlNodes(
                      connections.control(schema),
                      connections.heart(schema),
                      connections.session(),
                      used,
                      ""),
                  holds,
                  signals,
                  connections.control(schema));
      startPackages(catalog, packageStore, new PackageParts(links, registration, slots, fresh));
    }
    KeyRing ring = new KeyRing(keys, InstantSource.system(), System::nanoTime);
    Idempotency idempotency = new Idempotency(control);
    Refusals refusals = new Refusals(audit, InstantSource.system());
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
    serve(services, idempotency, refusals);
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

  /**
   * @param processes creates a registration beside that of the server
   */
  private record PackageParts(
      TenantLinks links,
      NodeCore.Settings registration,
      FairSlots slots,
      Supplier<ServerProcess> processes) {}

  private void startPackages(PackageCatalog catalog, PackageStore store, PackageParts parts) {
    PackageNodes nodes = new PackageNodes(new TrustedHost(parts), catalog, store);
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

  /** Runs packages in this process. */
  private final class TrustedHost implements PackageHost {
    private final PackageParts parts;

    TrustedHost(PackageParts parts) {
      this.parts = parts;
    }

    @Override
    public List<OpenTenant> tenants() {
      Set<String> only = config.work().tenants();
      return HoldfastServer.this.tenants().opened().stream()
          .filter(tenant -> only.isEmpty() || only.contains(tenant.tenant().name()))
          .toList();
    }

    @Override
    public Set<String> queues() {
      return config.queues().keySet();
    }

    @Override
    public boolean trusts() {
      return config.work().trustPackages() || !hasSeveralTenants();
    }

    @Override
    public ServerProcess register(String id, String name, Set<String> tasks) {
      NodeCore.Settings own = parts.registration();
      return parts
          .processes()
          .get()
          .start(
              new NodeCore.Settings(
                  id,
                  name,
                  own.queues(),
                  tasks,
                  Set.of("package"),
                  own.capacity(),
                  own.modes(),
                  own.liveness()),
              metrics.registry());
    }

    @Override
    public Store store(OpenTenant tenant, ServerProcess registration) {
      return parts.links().store(tenant::tenant, registration);
    }

    @Override
    public NodeBuilder builder(OpenTenant tenant, Store store) {
      return configured(tenant, store);
    }

    @Override
    public FairSlots.Share share(OpenTenant tenant) {
      return parts
          .slots()
          .share(tenant.tenant().settings().weight(), tenant.tenant().settings().maxHeld());
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

  private void serve(Services services, Idempotency idempotency, Refusals refusals) {
    SystemRoutes system = new SystemRoutes(this::notReady, metrics::scrape);
    StreamRoutes streams = new StreamRoutes(services.nodes());
    feeds = streams.feeds();
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
                new Pipeline.Shares(new Quotas(settings.quotas(), System::nanoTime), servers),
                metrics,
                new RequestSpans(traces)));
    JavalinServer server = JavalinServer.start(pipeline, settings);
    http = server;
    closing.push(() -> {
      pipeline.stop();
      streams.feeds().close();
      awaitServed(server);
    });
    log.info("Serving {} as {}", url(), config.modes());
  }

  private void awaitServed(JavalinServer server) {
    try {
      if (!server.awaitServed(config.drain())) {
        log.warn("Some requests were not served in time; their connections will be closed");
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeHttp() {
    JavalinServer server = http;
    if (server != null) {
      server.close();
    }
  }

  private boolean hasSeveralTenants() {
    SchemaTenants all = tenants;
    return all != null && all.opened().size() > 1;
  }

  private boolean hasNode() {
    return config.is(ServerMode.WORKER) || config.is(ServerMode.SCHEDULER);
  }

  /** Returns a node that is never started, to learn what the modules have. */
  private NodeBuilder sample(SharedConnections connections) {
    NodeBuilder sample =
        HoldfastNode.on(
                PostgresStore.sharing(
                    connections, 0, config.database().schema(), (none, id) -> null, () -> null))
            .application(APPLICATION);
    modules.forEach(sample::install);
    return sample;
  }

  /** Returns how this server registers. */
  private NodeCore.Settings registration(NodeBuilder sample) {
    boolean works = config.is(ServerMode.WORKER);
    Set<String> roles = new TreeSet<>();
    if (works) {
      roles.add("worker");
    }
    if (hasNode()) {
      roles.add("scheduler");
    }
    if (config.is(ServerMode.API)) {
      roles.add("api");
    }
    String id = NodeIdentity.hostAndPid().id();
    return new NodeCore.Settings(
        // Several servers may run in one process, for example in a test.
        hasNode() ? id : id + "-api",
        null,
        hasNode() ? config.queues().keySet() : Set.of(),
        hasNode() ? sample.taskNames() : Set.of(),
        roles,
        hasNode() ? config.work().concurrency() : 0,
        new Modes(works ? NodeMode.FULL : NodeMode.TRIGGER_ONLY, Map.of()),
        liveness());
  }

  private void startNode(
      TenantLinks links,
      NodeCore.Settings registration,
      FairSlots slots,
      ServerNode.Parts parts,
      SchemaTenants all) {
    boolean works = config.is(ServerMode.WORKER);
    ServerNode own =
        new ServerNode(
            new ServerNode.Settings(
                works ? Set.of(Hints.Kind.R, Hints.Kind.T) : Set.of(Hints.Kind.T),
                config.work().tenants(),
                config.work().tenantIdle(),
                registration,
                this::nodeOf),
            parts,
            slots,
            new ServerNode.Directory() {
              @Override
              public Optional<OpenTenant> find(int id) {
                Optional<OpenTenant> known = all.find(id);
                if (known.isEmpty()) {
                  all.refresh(); // Another server may have created it just now.
                }
                return known.or(() -> all.find(id));
              }

              @Override
              public List<Integer> ids(Collection<String> names) {
                return all.ids(names);
              }

              @Override
              public void registered(int id, String registered) {
                all.registered(id, registered);
              }
            });
    node = own;
    links.node(own);
    closing.push(() -> {
      if (stoppedNow) {
        own.stopNow();
      }
      own.close();
    });
    own.start();
    metrics.node(own::load);
    all.opened().forEach(tenant -> own.changed(tenant.tenant()));
  }

  private LivenessSettings liveness() {
    Duration timeout = config.work().nodeTimeout();
    return LivenessSettings.DEFAULT.with(changes ->
        changes.heartbeat(timeout.dividedBy(6)).timeout(timeout).sweep(timeout.dividedBy(2)));
  }

  private NodeBuilder nodeOf(OpenTenant tenant) {
    NodeBuilder builder =
        configured(tenant, tenant.store())
            .application(APPLICATION)
            .stackOf(stacks.apply(tenant.tenant().id()));
    modules.forEach(builder::install);
    return builder;
  }

  private NodeBuilder configured(OpenTenant tenant, Store store) {
    NodeBuilder builder =
        HoldfastNode.on(store)
            .meters(metrics.registry())
            .interceptAttempts(metrics.attempts(tenant.tenant().name()))
            .shutdownGrace(config.drain())
            .liveness(liveness())
            .maxConcurrent(config.work().concurrency())
            .keep(() ->
                new Retention(
                    tenant.tenant().settings().keepHistory(),
                    tenant.tenant().settings().keepDeadLetters()));
    if (traces != null) {
      builder.telemetry(traces).interceptAttempts(ServerTraces.attempts(tenant.tenant().name()));
    }
    config.queues().forEach(builder::queue);
    return builder;
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
    ServerConfig.Http settings = config.http();
    String host = settings.host().equals("0.0.0.0") ? "localhost" : settings.host();
    JavalinServer server = http;
    int port = server == null ? settings.port() : server.port();
    String scheme = settings.tls() == null ? "http" : "https";
    return URI.create("%s://%s:%d%s".formatted(scheme, host, port, settings.basePath()));
  }

  /** Returns its tenants, for programs that start a server in their own process. */
  public Tenants tenants() {
    SchemaTenants all = tenants;
    if (all == null) {
      throw new IllegalStateException("The server has not been started");
    }
    return all;
  }

  /** Returns in how many tenants this server works at present. */
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
    return routes;
  }

  /** Returns the keys that this start has created. */
  public FirstKeys firstKeys() {
    return firstKeys;
  }

  /** Returns how many connections are open. */
  public int connections() {
    JavalinServer server = http;
    return server == null ? 0 : server.connections();
  }

  /** Returns how many clients watch. */
  public int watching() {
    Feeds all = feeds;
    return all == null ? 0 : all.clients();
  }

  /** Interrupts running jobs, so that a close that waits for them ends at once. */
  public void stopNow() {
    stoppedNow = true;
    JavalinServer server = http;
    if (server != null) {
      server.abandonServed();
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
        log.warn(
            "A part of the server could not be closed, closing the others: {}", failure, failure);
      }
    }
  }
}
