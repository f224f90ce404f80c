package dev.holdfast.server.boot;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.run.SecretUnavailableException;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.packages.child.Orders;
import dev.holdfast.packages.load.Sandbox;
import dev.holdfast.server.api.CallingWorker;
import dev.holdfast.server.api.WorkerRoutes;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Permission;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.http.Quotas;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.http.Router;
import dev.holdfast.server.javalin.JavalinServer;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.key.LentKeys;
import dev.holdfast.server.packages.ChildHost;
import dev.holdfast.server.secret.TenantSecrets;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.worker.RemoteWorkers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where processes with packages reach the server: the routes of remote workers on a port of
 * loopback, with keys that exist only here. A secret of a tenant is given to a worker of that
 * tenant, and only here.
 */
final class PackageGateway implements ChildHost, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PackageGateway.class);
  private static final String SECRET = "/v1/tenants/{tenant}/workers/{worker}/secret";

  private final ServerConfig config;
  private final RemoteWorkers workers;
  private final TenantSecrets secrets;
  private final LentKeys keys = new LentKeys();
  private final Map<String, Set<UUID>> registered = new ConcurrentHashMap<>();
  private final JavalinServer server;

  /**
   * @param pipeline creates what handles requests, from the routes and keys
   */
  PackageGateway(
      ServerConfig config,
      RemoteWorkers workers,
      TenantSecrets secrets,
      Function<Accepted, Pipeline> pipeline) {
    this.config = config;
    this.workers = workers;
    this.secrets = secrets;
    List<Route> routes = new ArrayList<>(new WorkerRoutes(workers, this::registered).routes());
    routes.add(Route.post(SECRET, Permission.WORK, this::secret));
    ServerConfig.Http http = config.http();
    ServerConfig.Http own =
        new ServerConfig.Http(
            "127.0.0.1",
            0,
            "",
            http.bodyLimit(),
            0,
            null,
            List.of(),
            http.timeouts(),
            Quotas.Limits.NONE);
    this.server =
        JavalinServer.start(pipeline.apply(new Accepted(new Router(routes), keys, own)), own);
  }

  /** What is accepted here. */
  record Accepted(Router router, LentKeys keys, ServerConfig.Http http) {}

  private void registered(Call call, UUID worker) {
    registered
        .computeIfAbsent(call.caller().key(), key -> ConcurrentHashMap.newKeySet())
        .add(worker);
  }

  private Response secret(Call call) {
    Fields body = call.body();
    String name = body.textOr("name", "");
    body.done();
    var unused = CallingWorker.of(workers, call); // Throws if it is not alive.
    try {
      return Response.ok(
          JsonText.object()
              .put(
                  "value",
                  secrets.of(call.tenant().tenant()).find(String.valueOf(name)).orElse(null))
              .done());
    } catch (SecretUnavailableException unavailable) {
      throw Code.SECRETS_NOT_CONFIGURED.because("%s", String.valueOf(unavailable.getMessage()));
    }
  }

  @Override
  public Access open(OpenTenant tenant) {
    String name = tenant.tenant().name();
    KeyText key = keys.lend(config.environment(), name, "packages of " + name);
    return new Access() {
      @Override
      public Orders.Start start() {
        return new Orders.Start(
            "http://127.0.0.1:" + server.port(),
            name,
            key.text(),
            NodeIdentity.hostAndPid().id(),
            config.work().nodeTimeout(),
            config.drain(),
            config.queues(),
            config.work().concurrency());
      }

      @Override
      public void close() {
        keys.revoke(key);
        Set<UUID> left = registered.remove(key.id());
        if (left != null) {
          left.forEach(worker -> died(tenant, worker));
        }
      }
    };
  }

  /** Otherwise a sweep declares it dead after its timeout. */
  private void died(OpenTenant tenant, UUID worker) {
    try {
      workers.died(tenant, worker);
    } catch (StoreException away) {
      log.warn(
          "Worker {} could not be declared dead, a sweep does it after its timeout: {}",
          worker,
          away.getMessage());
    }
  }

  @Override
  public int heapMegabytes() {
    return config.packages().heap();
  }

  @Override
  public Sandbox.Limits limits() {
    ServerConfig.Packages limits = config.packages();
    return new Sandbox.Limits(limits.cpus(), limits.files(), limits.threads());
  }

  @Override
  public void close() {
    workers.close();
    server.close();
  }
}
