package dev.holdfast.server.boot;

import dev.holdfast.server.api.BacklogRoutes;
import dev.holdfast.server.api.SecretRoutes;
import dev.holdfast.server.api.Services;
import dev.holdfast.server.api.StreamRoutes;
import dev.holdfast.server.api.SystemRoutes;
import dev.holdfast.server.api.WorkerRoutes;
import dev.holdfast.server.audit.Refusals;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.config.ServerMode;
import dev.holdfast.server.http.Idempotency;
import dev.holdfast.server.http.LiveServers;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.http.Quotas;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.http.Router;
import dev.holdfast.server.http.TrustedProxies;
import dev.holdfast.server.javalin.JavalinServer;
import dev.holdfast.server.key.Keys;
import dev.holdfast.server.metrics.Backlogs;
import dev.holdfast.server.secret.TenantSecrets;
import dev.holdfast.server.tenant.Tenants;
import dev.holdfast.server.trace.RequestSpans;
import dev.holdfast.server.worker.RemoteWorkers;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the routes of a server and serves them over HTTP. Every server has probes, metrics and
 * backlogs; the other routes need the mode {@link ServerMode#API}.
 *
 * @param observer notified of each request
 */
record HttpStart(
    ServerConfig config,
    SystemRoutes system,
    Pipeline.Observer observer,
    RequestSpans spans,
    CloseStack closing) {

  /** What some routes use in addition to the services that all have. */
  record Features(RemoteWorkers workers, Backlogs backlogs, TenantSecrets secrets) {}

  /** What all pipelines of a server share. */
  record Shared(Idempotency idempotency, Refusals refusals, LiveServers servers) {}

  /** Accepts requests from now on. */
  HttpEndpoint serve(Services services, Features features, Shared shared) {
    StreamRoutes streams = new StreamRoutes(services.nodes());
    List<Route> routes = routes(services, streams, features);
    Pipeline pipeline =
        pipeline(config.http(), new Router(routes), services.ring(), services.tenants(), shared);
    HttpEndpoint endpoint =
        new HttpEndpoint(
            JavalinServer.start(pipeline, config.http()), pipeline, routes, streams.feeds());
    closing.push(() -> endpoint.drain(config.drain(), features.workers()));
    return endpoint;
  }

  private List<Route> routes(Services services, StreamRoutes streams, Features features) {
    BacklogRoutes backlogs = new BacklogRoutes(features.backlogs());
    boolean api = config.is(ServerMode.API);
    List<Route> all =
        new ArrayList<>(
            api
                ? system.withApi(services, streams, new WorkerRoutes(features.workers()))
                : system.probes());
    all.addAll(backlogs.ofInstallation());
    if (api) {
      all.addAll(backlogs.ofTenants());
      all.addAll(new SecretRoutes(services, features.secrets()).routes());
    }
    return all;
  }

  /** Returns what handles the requests to some routes. */
  Pipeline pipeline(
      ServerConfig.Http http, Router router, Keys keys, Tenants tenants, Shared shared) {
    return new Pipeline(
        router,
        keys,
        tenants,
        shared.idempotency(),
        new Pipeline.Settings(
            http.basePath(),
            http.bodyLimit(),
            http.requestsPerSecond(),
            http.timeouts().request(),
            TrustedProxies.of(http.proxies()),
            shared.refusals(),
            new Pipeline.Shares(new Quotas(http.quotas(), System::nanoTime), shared.servers()),
            observer,
            spans));
  }
}
