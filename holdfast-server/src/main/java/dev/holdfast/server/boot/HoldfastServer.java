package dev.holdfast.server.boot;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.load.DryLoad;
import dev.holdfast.server.api.Services;
import dev.holdfast.server.api.SystemRoutes;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.audit.Refusals;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.config.ServerMode;
import dev.holdfast.server.demo.DemoModule;
import dev.holdfast.server.demo.DemoTraffic;
import dev.holdfast.server.http.Cursors;
import dev.holdfast.server.http.Idempotency;
import dev.holdfast.server.http.LiveServers;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.key.KeyRing;
import dev.holdfast.server.metrics.Backlogs;
import dev.holdfast.server.metrics.ServerMetrics;
import dev.holdfast.server.node.ServerNode;
import dev.holdfast.server.packages.PackageCatalog;
import dev.holdfast.server.packages.PackageNodes;
import dev.holdfast.server.packages.PackageStore;
import dev.holdfast.server.packages.PackageUploads;
import dev.holdfast.server.packages.Packages;
import dev.holdfast.server.tenant.SchemaTenants;
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
import java.util.ServiceLoader;
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

  private final ServerConfig config;
  private final List<TaskModule> modules;
  private final CloseStack closing = new CloseStack();
  private final ServerMetrics metrics = new ServerMetrics();
  private final RunningNodes nodes = new RunningNodes();
  private FirstKeys firstKeys = new FirstKeys(null, null);
  private @Nullable SchemaTenants tenants;
  private volatile @Nullable HttpEndpoint http;
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
    ServerTraces traces = traces();
    Installation installation = Installation.open(config, closing);
    PackageStore packages = new PackageStore(installation.control());
    PackageCatalog catalog = new PackageCatalog(packages);
    catalog.refresh();
    NodeSetup setup =
        new NodeSetup(config, modules, metrics, installation.secrets(), catalog, traces);
    TenantHosting hosting = new TenantHosting(installation, setup, closing);
    openTenants(installation, hosting);
    // Closed after the nodes have drained: until then, probes and metrics show their progress.
    closing.push(this::closeHttp);
    HttpStart start =
        new HttpStart(
            config,
            new SystemRoutes(this::notReady, metrics::scrape),
            metrics,
            new RequestSpans(traces),
            closing);
    HttpStart.Shared shared = shared(installation);
    PackageGateway gateway = null;
    if (config.is(ServerMode.WORKER)) {
      gateway = gateway(start, shared, installation, hosting);
    }
    closing.push(nodes::awaitPackages);
    if (setup.hasNode()) {
      startNode(hosting);
    }
    if (gateway != null) {
      nodes.start(new PackageNodes(hosting.packageHost(), gateway, catalog, packages), closing);
    }
    KeyRing ring = new KeyRing(installation.keys(), InstantSource.system(), System::nanoTime);
    Services services =
        new Services(
            installation.control(),
            installation.keys(),
            ring,
            hosting.tenants(),
            hosting.nodes(),
            installation.audit(),
            packages(catalog, packages, installation.audit()),
            new Cursors(installation.control().secret("cursor")));
    serve(services, installation, hosting, start, shared);
  }

  private HttpStart.Shared shared(Installation installation) {
    LiveServers servers = new LiveServers(installation.control(), System::nanoTime);
    closing.push(servers::close);
    return new HttpStart.Shared(
        new Idempotency(installation.control()),
        new Refusals(installation.audit(), InstantSource.system()),
        servers);
  }

  private PackageGateway gateway(
      HttpStart start, HttpStart.Shared shared, Installation installation, TenantHosting hosting) {
    PackageGateway gateway =
        new PackageGateway(
            config,
            new RemoteWorkers(hosting.workers()),
            installation.secrets(),
            accepted ->
                start.pipeline(
                    accepted.http(),
                    accepted.router(),
                    accepted.keys(),
                    hosting.tenants(),
                    shared));
    closing.push(gateway::close);
    return gateway;
  }

  private @Nullable ServerTraces traces() {
    TraceSettings settings = config.tracing();
    if (settings == null) {
      return null;
    }
    ServerTraces traces = new ServerTraces(settings);
    closing.push(traces::close);
    return traces;
  }

  private void openTenants(Installation installation, TenantHosting hosting) {
    SchemaTenants all = hosting.tenants();
    tenants = all;
    hosting.start(closing);
    firstKeys =
        new FirstStart(installation.control(), installation.keys(), all, installation.audit())
            .run(config.adminKey());
    all.refresh();
    metrics.pool("control", installation.control()::pool);
    metrics.pool("tenants", installation.connections()::use);
    metrics.tenants(all);
  }

  private void startNode(TenantHosting hosting) {
    ServerNode node = hosting.newNode();
    nodes.start(node, closing);
    metrics.node(node::load);
    hosting.tenants().opened().forEach(tenant -> node.changed(tenant.tenant()));
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
              nodes.packagesChanged();
            });
    return new Packages(store, uploads, PackageLimits.DEFAULT);
  }

  private void serve(
      Services services,
      Installation installation,
      TenantHosting hosting,
      HttpStart start,
      HttpStart.Shared shared) {
    Upkeep upkeep =
        new Upkeep(
                hosting.tenants(),
                hosting.migrations(),
                services.ring(),
                new Upkeep.Kept(shared.idempotency(), services.audit(), config.keepAudit()),
                shared.refusals())
            .working(nodes::isActive)
            .start(config.is(ServerMode.SCHEDULER));
    closing.push(upkeep::close);
    RemoteWorkers workers = new RemoteWorkers(hosting.workers());
    Backlogs backlogs =
        new Backlogs(services.control(), hosting.tenants()::find, System::nanoTime).start();
    closing.push(backlogs::close);
    http =
        start.serve(
            services, new HttpStart.Features(workers, backlogs, installation.secrets()), shared);
    log.info("Serving {} as {}", url(), config.modes());
  }

  private void closeHttp() {
    HttpEndpoint endpoint = http;
    if (endpoint != null) {
      endpoint.close();
    }
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
    if (!nodes.isReady()) {
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
    return nodes.activeTenants();
  }

  /** Returns the versions of packages that are loaded in its process, as {@code name@version}. */
  public List<String> loadedPackages() {
    return nodes.loadedPackages();
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
    HttpEndpoint endpoint = http;
    if (endpoint != null) {
      endpoint.server().abandonServed();
    }
    nodes.stopNow();
  }

  @Override
  public void close() {
    draining = true;
    closing.close();
  }
}
