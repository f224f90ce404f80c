package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.internal.Names;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Registered workflows. */
final class WorkflowRoutes {
  private static final String WORKFLOWS = "/v1/tenants/{tenant}/workflows";

  private final Paging paging;

  WorkflowRoutes(Services services) {
    this.paging = new Paging(services.cursors());
  }

  List<Route> routes() {
    return List.of(
        Route.get(WORKFLOWS, READ, this::list),
        Route.get(WORKFLOWS + "/{workflow}", READ, this::read));
  }

  private static Definitions definitions(Call call) {
    return call.tenant().store().runs().definitions();
  }

  private Response list(Call call) {
    return paging.page(
        call,
        new Paging.Listed<String, Definitions.Stored>(
            "workflows",
            Function.identity(),
            stored -> stored.definition().name(),
            stored ->
                JsonText.object()
                    .put("name", stored.definition().name())
                    .put("hash", stored.hash())
                    .done()),
        (after, limit) -> definitions(call).latest(after, limit));
  }

  private Response read(Call call) {
    String name = Names.workflow(call.path("workflow"));
    Response.Json page =
        paging.page(
            call,
            new Paging.Listed<Integer, Definitions.Stored>(
                "versions",
                Integer::valueOf,
                version -> String.valueOf(version.id()),
                WorkflowRoutes::view),
            (after, limit) -> versions(call, name, after, limit));
    ((ObjectNode) page.body()).put("name", name);
    return page;
  }

  private static List<Definitions.Stored> versions(
      Call call, String name, @Nullable Integer after, int limit) {
    List<Definitions.Stored> versions = definitions(call).versions(name);
    if (versions.isEmpty()) {
      throw Code.WORKFLOW_NOT_FOUND.because("Workflow '%s' is not registered.", name);
    }
    return versions.stream()
        .filter(version -> after == null || version.id() < after)
        .sorted(Comparator.comparingInt(Definitions.Stored::id).reversed())
        .limit(limit)
        .toList();
  }

  private static ObjectNode view(Definitions.Stored version) {
    return JsonText.object()
        .put("hash", version.hash())
        .set("graph", JsonText.orString(version.definition().body()))
        .done();
  }
}
