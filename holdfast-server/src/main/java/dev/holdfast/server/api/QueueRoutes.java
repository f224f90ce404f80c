package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.OPERATE;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.Queues;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.server.api.Operations.Change;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Queues. */
final class QueueRoutes {
  private static final String QUEUES = "/v1/tenants/{tenant}/queues";

  private final Paging paging;
  private final Operations operations;

  QueueRoutes(Services services) {
    this.paging = new Paging(services.cursors());
    this.operations = new Operations(services.audit());
  }

  List<Route> routes() {
    return List.of(
        Route.get(QUEUES, READ, this::list),
        Route.get(QUEUES + "/{queue}", READ, this::read),
        Route.post(QUEUES + "/{queue}/pause", OPERATE, this::pause),
        Route.post(QUEUES + "/{queue}/resume", OPERATE, this::resume),
        Route.of(Method.PUT, QUEUES + "/{queue}/limit", OPERATE, this::limit),
        Route.of(Method.DELETE, QUEUES + "/{queue}/limit", OPERATE, this::unlimit));
  }

  private static Queues queues(Call call) {
    return call.tenant().client().queues();
  }

  private Response list(Call call) {
    return paging.page(
        call,
        new Paging.Listed<String, QueueStatus>(
            "queues", Function.identity(), QueueStatus::name, QueueRoutes::view),
        queues(call)::list);
  }

  private static String name(Call call) {
    return Names.queue(call.path("queue"));
  }

  private Response read(Call call) {
    call.query().done();
    String name = name(call);
    return Response.ok(
        queues(call)
            .find(name)
            .map(QueueRoutes::view)
            .orElseThrow(() ->
                Code.QUEUE_NOT_FOUND.because(
                    "Queue '%s' has no jobs, no node, no pause and no limit.", name)));
  }

  private static ObjectNode view(QueueStatus queue) {
    return JsonText.object()
        .put("name", queue.name())
        .put("paused", queue.paused())
        .put("pauseReason", queue.pauseReason())
        .put("pausedAt", queue.pausedAt())
        .put("limit", queue.limit())
        .put("ready", queue.ready())
        .put("held", queue.held())
        .put("scheduled", queue.scheduled())
        .put("oldestReady", queue.oldestReady())
        .put("moreReady", queue.moreReady())
        .put("moreHeld", queue.moreHeld())
        .put("moreScheduled", queue.moreScheduled())
        .done();
  }

  /** Returns what a watching client needs of a queue; without ages, which always change. */
  static ObjectNode snapshot(QueueStatus queue) {
    ObjectNode view = view(queue);
    view.remove("oldestReady");
    return view;
  }

  private static Change act(Call call, String action, String queue, @Nullable ObjectNode details) {
    return new Change("queue." + action, queue, () -> state(call, queue), details);
  }

  private static @Nullable ObjectNode state(Call call, String name) {
    return queues(call)
        .find(name)
        .map(queue ->
            JsonText.object()
                .put("paused", queue.paused())
                .put("pauseReason", queue.pauseReason())
                .put("limit", queue.limit())
                .done())
        .orElse(null);
  }

  private static Response known(String queue, boolean known) {
    return Response.ok(JsonText.object().put("name", queue).put("known", known).done());
  }

  private Response pause(Call call) {
    String name = name(call);
    Fields body = call.optionalBody();
    String reason = body.textOr("reason", null);
    body.done();
    Patterns.requireAll(call);
    return operations.audited(
        call,
        act(
            call,
            "pause",
            name,
            reason == null ? null : JsonText.object().put("reason", reason).done()),
        () ->
            known(
                name,
                reason == null ? queues(call).pause(name) : queues(call).pause(name, reason)));
  }

  private Response resume(Call call) {
    String name = name(call);
    call.optionalBody().done();
    Patterns.requireAll(call);
    return operations.audited(
        call, act(call, "resume", name, null), () -> known(name, queues(call).resume(name)));
  }

  private Response limit(Call call) {
    String name = name(call);
    Fields body = call.body();
    Integer limit = body.integer("limit");
    body.done();
    Patterns.requireAll(call);
    if (limit == null) {
      throw Code.INVALID_REQUEST.because("Give a limit of at least 1.");
    }
    return operations.audited(
        call,
        act(call, "limit", name, null),
        () -> {
          queues(call).limit(name, limit);
          return known(name, true);
        });
  }

  private Response unlimit(Call call) {
    String name = name(call);
    Patterns.requireAll(call);
    return operations.audited(
        call, act(call, "unlimit", name, null), () -> known(name, queues(call).unlimit(name)));
  }
}
