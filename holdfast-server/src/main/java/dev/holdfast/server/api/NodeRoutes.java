package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.ADMIN;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Page;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.engine.rule.ModeChange;
import dev.holdfast.engine.rule.TaskPattern;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.server.api.Operations.Change;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.node.NodeDirectory;
import dev.holdfast.server.tenant.OpenTenant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

  /** Returns the latest registration under each id; a live one rather than a later dead one. */
  static Map<String, NodeSnapshot> latest(NodeDirectory directory) {
    Map<String, NodeSnapshot> nodes = new TreeMap<>();
    for (NodeSnapshot node : directory.list()) {
      nodes.merge(
          node.registration().id(),
          node,
          (one, other) -> one.alive() && !other.alive() ? one : other);
    }
    return nodes;
  }

  private Map<String, NodeSnapshot> nodes() {
    return latest(services.nodes());
  }

  private Response list(Call call) {
    return paging.page(
        call,
        new Paging.Listed<String, NodeSnapshot>(
            "nodes", Function.identity(), node -> node.registration().id(), this::view),
        () -> nodes().values());
  }

  private Response read(Call call) {
    call.query().done();
    String id = call.path("node");
    NodeSnapshot node = nodes().get(id);
    if (node == null) {
      throw notFound(id);
    }
    return Response.ok(view(node));
  }

  private static RuntimeException notFound(String id) {
    return Code.NODE_NOT_FOUND.because("Node '%s' does not exist.", id);
  }

  private ObjectNode view(NodeSnapshot node) {
    NodeRegistration registration = node.registration();
    JsonText.Obj overrides = JsonText.object();
    new TreeMap<>(node.modes().overrides())
        .forEach((pattern, mode) -> overrides.put(pattern, mode.toString()));
    return JsonText.object()
        .put("id", registration.id())
        .put("name", registration.name())
        .put("alive", node.alive())
        .put("host", registration.host())
        .put("pid", registration.pid())
        .put("version", registration.version())
        .put("startedAt", node.startedAt())
        .put("sinceLastHeartbeat", node.sinceLastHeartbeat())
        .putText("mode", node.modes().node())
        .set("modeOverrides", overrides.done())
        .put("stack", registration.stack())
        .set("serves", JsonText.texts(new TreeSet<>(registration.serves())))
        .set("roles", JsonText.texts(new TreeSet<>(registration.roles())))
        .set("queues", JsonText.texts(new TreeSet<>(registration.queues())))
        .set("tasks", JsonText.texts(new TreeSet<>(registration.tasks())))
        .put("running", node.running())
        .put("capacity", registration.capacity())
        .put("lostSlots", node.lost().slots())
        .set("tenants", JsonText.texts(tenants(node).map(open -> open.tenant().name()).toList()))
        .done();
  }

  /** Returns the tenants in which a node is registered: those where it has had work. */
  private Stream<OpenTenant> tenants(NodeSnapshot node) {
    Set<Integer> ids = Set.copyOf(services.nodes().tenants(node.registration().incarnation()));
    return services.tenants().opened().stream()
        .filter(open -> ids.contains(open.tenant().id()))
        .sorted(Comparator.comparing(open -> open.tenant().name()));
  }

  private @Nullable ObjectNode modes(String id) {
    NodeSnapshot node = nodes().get(id);
    if (node == null) {
      return null;
    }
    ObjectNode view = view(node);
    return JsonText.object()
        .set("mode", view.get("mode"))
        .set("modeOverrides", view.get("modeOverrides"))
        .done();
  }

  /** Changes a node for the tenants in which it is registered, and for those that follow. */
  private Response change(
      Call call, String what, UnaryOperator<Modes> change, Consumer<OpenTenant> inTenant) {
    String id = call.path("node");
    return operations.audited(
        call,
        new Change(
            "node.mode", id, () -> modes(id), JsonText.object().put("requested", what).done()),
        () -> {
          NodeSnapshot node = nodes().get(id);
          if (node == null || !services.nodes().change(node.registration().incarnation(), change)) {
            throw notFound(id);
          }
          List<OpenTenant> registered = tenants(node).toList();
          registered.forEach(inTenant);
          return Response.ok(JsonText.object().put("changed", registered.size()).done());
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
        pattern == null ? ModeChange.node(mode) : ModeChange.except(pattern, mode),
        tenant -> {
          int unused =
              pattern == null
                  ? tenant.client().nodes().mode(id, mode)
                  : tenant.client().nodes().mode(id, pattern, mode);
        });
  }

  private Response drain(Call call) {
    call.optionalBody().done();
    String id = call.path("node");
    return change(
        call,
        "drain",
        ModeChange.node(NodeMode.TRIGGER_ONLY),
        tenant -> {
          int unused = tenant.client().nodes().mode(id, NodeMode.TRIGGER_ONLY);
        });
  }

  private Response clear(Call call) {
    String id = call.path("node");
    String pattern = call.query().text("pattern");
    call.query().done();
    if (pattern != null) {
      TaskPattern.of(pattern);
    }
    return change(
        call,
        pattern == null ? "clear overrides" : "clear override " + pattern,
        pattern == null ? ModeChange.clearAll() : ModeChange.clear(pattern),
        tenant -> {
          int unused =
              pattern == null
                  ? tenant.client().nodes().clearModes(id)
                  : tenant.client().nodes().clearMode(id, pattern);
        });
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
