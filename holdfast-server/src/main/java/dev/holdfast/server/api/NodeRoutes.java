package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.ADMIN;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Page;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.engine.rule.TaskPattern;
import dev.holdfast.server.audit.AuditLog.Act;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.tenant.OpenTenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Nodes and leases, for the operators of the installation. */
final class NodeRoutes {
  private static final String NODES = "/v1/nodes";

  private final Services services;
  private final Paging paging;
  private final Operations operations;

  NodeRoutes(Services services) {
    this.services = services;
    this.paging = new Paging(services.cursors());
    this.operations = new Operations(services.audit());
  }

  List<Route> routes() {
    return List.of(
        Route.get(NODES, ADMIN, this::list),
        Route.get(NODES + "/{node}", ADMIN, this::read),
        Route.of(Method.PUT, NODES + "/{node}/mode", ADMIN, this::mode),
        Route.post(NODES + "/{node}/drain", ADMIN, this::drain),
        Route.of(Method.DELETE, NODES + "/{node}/mode/overrides", ADMIN, this::clear),
        Route.get("/v1/leases", ADMIN, this::leases));
  }

  /** What a node is in one tenant. */
  private record InTenant(String tenant, NodeInfo node) {}

  private Map<String, List<InTenant>> nodes() {
    Map<String, List<InTenant>> nodes = new TreeMap<>();
    for (OpenTenant tenant : services.tenants().opened()) {
      for (NodeInfo node : tenant.client().nodes().list()) {
        nodes
            .computeIfAbsent(node.id(), any -> new ArrayList<>())
            .add(new InTenant(tenant.tenant().name(), node));
      }
    }
    return nodes;
  }

  private Response list(Call call) {
    call.query().done();
    ArrayNode array = JsonText.array();
    nodes().forEach((id, parts) -> array.add(view(id, parts)));
    return Response.ok(JsonText.object().set("nodes", array).done());
  }

  private Response read(Call call) {
    call.query().done();
    String id = call.path("node");
    List<InTenant> parts = nodes().get(id);
    if (parts == null) {
      throw notFound(id);
    }
    return Response.ok(view(id, parts));
  }

  private static RuntimeException notFound(String id) {
    return Code.NODE_NOT_FOUND.because("Node '%s' does not exist.", id);
  }

  /** A process has one node for each tenant; callers see one node. */
  private static ObjectNode view(String id, List<InTenant> parts) {
    // A live part says more than one that died before.
    List<InTenant> live = parts.stream().filter(part -> part.node().alive()).toList();
    List<InTenant> shown = live.isEmpty() ? parts : live;
    NodeInfo first = shown.getFirst().node();
    JsonText.Obj overrides = JsonText.object();
    new TreeMap<>(first.modeOverrides())
        .forEach((pattern, mode) -> overrides.put(pattern, mode.toString()));
    return JsonText.object()
        .put("id", id)
        .put("name", first.name())
        .put("alive", !live.isEmpty())
        .put("host", first.host())
        .put("pid", first.pid())
        .put("version", first.version())
        .put("startedAt", first.startedAt())
        .put("sinceLastHeartbeat", first.sinceLastHeartbeat())
        .putText("mode", first.mode())
        .set("modeOverrides", overrides.done())
        .put("stack", first.stack())
        .set("serves", JsonText.texts(new TreeSet<>(first.serves())))
        .set("roles", JsonText.texts(new TreeSet<>(first.roles())))
        .set("queues", JsonText.texts(new TreeSet<>(first.queues())))
        .set("tasks", JsonText.texts(new TreeSet<>(first.tasks())))
        .put("running", sum(live, NodeInfo::running))
        .put("capacity", sum(live, NodeInfo::capacity))
        .put("lostSlots", sum(live, NodeInfo::lostSlots))
        .set(
            "tenants",
            JsonText.texts(shown.stream().map(InTenant::tenant).distinct().sorted().toList()))
        .done();
  }

  private static int sum(List<InTenant> parts, ToIntFunction<NodeInfo> number) {
    return parts.stream().mapToInt(part -> number.applyAsInt(part.node())).sum();
  }

  private Response change(Call call, String what, ToIntFunction<OpenTenant> change) {
    String id = call.path("node");
    return operations.audited(
        call,
        new Act("node.mode", id, null, JsonText.object().put("mode", what).done().toString()),
        () -> {
          int changed = 0;
          for (OpenTenant tenant : services.tenants().opened()) {
            changed += change.applyAsInt(tenant);
          }
          if (changed == 0) {
            throw notFound(id);
          }
          return Response.ok(JsonText.object().put("changed", changed).done());
        });
  }

  private Response mode(Call call) {
    String id = call.path("node");
    Fields body = call.body();
    NodeMode mode = body.parsed("mode", NodeMode::parse, "must be full, trigger-only or disabled");
    String pattern = body.textOr("pattern", null);
    body.done();
    if (mode == null) {
      throw Code.INVALID_REQUEST.because("Give a mode: full, trigger-only or disabled.");
    }
    if (pattern != null) {
      TaskPattern.of(pattern);
    }
    return change(
        call,
        pattern == null ? mode.toString() : pattern + " " + mode,
        tenant ->
            pattern == null
                ? tenant.client().nodes().mode(id, mode)
                : tenant.client().nodes().mode(id, pattern, mode));
  }

  private Response drain(Call call) {
    call.optionalBody().done();
    String id = call.path("node");
    return change(call, "drain", tenant -> tenant.client().nodes().mode(id, NodeMode.TRIGGER_ONLY));
  }

  private Response clear(Call call) {
    String id = call.path("node");
    return change(call, "clear overrides", tenant -> tenant.client().nodes().clearModes(id));
  }

  private Response leases(Call call) {
    String name = call.query().text("tenant");
    if (name == null) {
      throw Code.INVALID_REQUEST.because("Give the tenant whose leases to list: ?tenant=NAME.");
    }
    OpenTenant tenant =
        services
            .tenants()
            .open(name)
            .orElseThrow(() -> Code.TENANT_NOT_FOUND.because("Tenant '%s' does not exist.", name));
    return paging.page(
        call,
        new Paging.Listed<String, LeaseInfo>(
            "leases", Function.identity(), LeaseInfo::key, NodeRoutes::view),
        (after, limit) ->
            tenant.leases().list(after == null ? Page.first(limit) : Page.after(after, limit)));
  }

  private static ObjectNode view(LeaseInfo lease) {
    return JsonText.object()
        .put("key", lease.key())
        .putText("state", lease.state())
        .put("holder", lease.holder())
        .put("fencingToken", lease.fencingToken())
        .put("attempt", lease.attempt())
        .put("acquiredAt", lease.acquiredAt())
        .put("remaining", lease.remaining())
        .put("endedAt", lease.endedAt())
        .put("detail", lease.detail())
        .done();
  }
}
