package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.PUBLIC;

import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/** Health, metrics and the description of the API. */
public final class SystemRoutes {
  private final Supplier<List<String>> notReady;
  private final Supplier<String> metrics;
  private final Supplier<String> openApi = onFirstUse(() -> resource("openapi.yaml"));
  // Parsing the description takes a tenth of a second: not at each start.
  private final Supplier<String> page = onFirstUse(() -> new OpenApiPage(openApi.get()).html());

  /**
   * @param notReady returns why the server is not ready; empty if it is
   * @param metrics returns all metrics
   */
  public SystemRoutes(Supplier<List<String>> notReady, Supplier<String> metrics) {
    this.notReady = notReady;
    this.metrics = metrics;
  }

  private static Supplier<String> onFirstUse(Supplier<String> text) {
    AtomicReference<@Nullable String> known = new AtomicReference<>();
    return () -> {
      String before = known.get();
      if (before != null) {
        return before;
      }
      String fresh = text.get();
      known.set(fresh);
      return fresh;
    };
  }

  static String resource(String name) {
    try (InputStream in = SystemRoutes.class.getResourceAsStream("/dev/holdfast/server/" + name)) {
      if (in == null) {
        throw new IllegalStateException("The resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** Returns the routes that every server has, whatever its mode. */
  public List<Route> probes() {
    return List.of(
        Route.get("/health", PUBLIC, this::health),
        Route.get("/ready", PUBLIC, this::ready),
        Route.get("/metrics", PUBLIC, this::scrape));
  }

  /** Returns all routes of the API. */
  public List<Route> withApi(Services services, StreamRoutes streams, WorkerRoutes workers) {
    List<Route> routes = new ArrayList<>(probes());
    routes.add(Route.get("/openapi.yaml", PUBLIC, this::openApi));
    routes.add(Route.get("/docs", PUBLIC, this::docs));
    routes.addAll(new KeyRoutes(services).routes());
    routes.addAll(new TenantRoutes(services).routes());
    routes.addAll(new AuditRoutes(services).routes());
    routes.addAll(new NodeRoutes(services).routes());
    routes.addAll(new LogRoutes(services).routes());
    routes.addAll(new JobRoutes(services).routes());
    routes.addAll(new QueueRoutes(services).routes());
    routes.addAll(new ScheduleRoutes(services).routes());
    routes.addAll(new TriggerRoutes(services).routes());
    routes.addAll(new RunRoutes(services).routes());
    routes.addAll(new WorkflowRoutes(services).routes());
    routes.addAll(workers.routes());
    routes.addAll(new PackageRoutes(services).routes());
    routes.addAll(streams.routes());
    return routes;
  }

  private Response health(Call call) {
    return Response.ok(JsonText.object().put("status", "UP").done());
  }

  private Response ready(Call call) {
    List<String> reasons = notReady.get();
    ArrayNode array = JsonText.texts(reasons);
    return new Response.Json(
        reasons.isEmpty() ? 200 : 503,
        JsonText.object()
            .put("status", reasons.isEmpty() ? "READY" : "NOT_READY")
            .set("reasons", array)
            .done(),
        Map.of(),
        null);
  }

  private Response scrape(Call call) {
    return new Response.Text(200, "text/plain; version=0.0.4; charset=utf-8", metrics.get());
  }

  private Response openApi(Call call) {
    return new Response.Text(200, "application/yaml; charset=utf-8", openApi.get());
  }

  private Response docs(Call call) {
    return new Response.Text(200, "text/html; charset=utf-8", page.get());
  }
}
