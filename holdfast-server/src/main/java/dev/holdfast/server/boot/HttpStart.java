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
import dev.holdfast.server.metrics.Backlogs;
import dev.holdfast.server.secret.TenantSecrets;
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

  /** Accepts requests from now on. */
  HttpEndpoint serve(
      Services services, Features features, Idempotency idempotency, Refusals refusals) {
    StreamRoutes streams = new StreamRoutes(services.nodes());
    List<Route> routes = routes(services, streams, features);
    LiveServers servers = new LiveServers(services.control(), System::nanoTime);
    closing.push(servers::close);
    Pipeline pipeline =
        new Pipeline(
            new Router(routes),
            services.ring(),
            services.tenants(),
            idempotency,
            settings(refusals, servers));
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

  private Pipeline.Settings settings(Refusals refusals, LiveServers servers) {
    ServerConfig.Http http = config.http();
    return new Pipeline.Settings(
        http.basePath(),
        http.bodyLimit(),
        http.requestsPerSecond(),
        http.timeouts().request(),
        TrustedProxies.of(http.proxies()),
        refusals,
        new Pipeline.Shares(new Quotas(http.quotas(), System::nanoTime), servers),
        observer,
        spans);
  }
}
