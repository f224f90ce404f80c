package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.EXECUTE;
import static dev.holdfast.server.http.Permission.OPERATE;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.Page;
import dev.holdfast.api.Runs;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.workflow.RerunOptions;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.server.api.Operations.Change;
import dev.holdfast.server.audit.AuditLog.Act;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Query;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs of workflows. */
final class RunRoutes {
  private static final String RUNS = "/v1/tenants/{tenant}/runs";
  private static final int EVENTS = 500;

  private final Paging paging;
  private final Operations operations;

  RunRoutes(Services services) {
    this.paging = new Paging(services.cursors());
    this.operations = new Operations(services.audit());
  }

  List<Route> routes() {
    return List.of(
        Route.creating(RUNS, EXECUTE, this::start),
        Route.get(RUNS, READ, this::list),
        Route.get(RUNS + "/counts", READ, this::count),
        Route.get(RUNS + "/{run}", READ, this::read),
        Route.get(RUNS + "/{run}/events", READ, this::events),
        Route.get(RUNS + "/{run}/steps/{step}/items", READ, this::items),
        Route.post(RUNS + "/recover", OPERATE, this::recover),
        Route.post(RUNS + "/{run}/cancel", OPERATE, this::cancel),
        Route.post(RUNS + "/{run}/pause", OPERATE, this::pause),
        Route.post(RUNS + "/{run}/resume", OPERATE, this::resume),
        Route.post(RUNS + "/{run}/retry", OPERATE, this::retry),
        Route.creating(RUNS + "/{run}/rerun", EXECUTE, this::rerun),
        Route.creating(RUNS + "/{run}/signals", EXECUTE, this::signal),
        Route.post(RUNS + "/{run}/move", OPERATE, this::move));
  }

  private static Runs runs(Call call) {
    return call.tenant().client().runs();
  }

  private Response start(Call call) {
    Fields body = call.body();
    String workflow = body.text("workflow");
    JsonNode input = body.json("input");
    UUID id = body.parsed("id", UUID::fromString, "must be a UUID");
    var unique = JobFields.unique(body.object("unique"));
    List<String> tags = body.texts("tags");
    String label = body.textOr("label", null);
    Integer priority = body.integer("priority");
    body.done();
    Names.workflow(workflow);
    Patterns.requireWorkflow(call, workflow);
    // A chosen id may have been used, so the store looks it up in history: not without need.
    UUID chosen = id == null && call.isRepeatable() ? call.newId() : id;
    RunOptions options =
        new RunOptions(
            chosen == null ? null : new RunId(chosen),
            unique,
            new java.util.HashSet<>(tags),
            label,
            priority);
    Started<Object> started =
        call.tenant()
            .client()
            .runs()
            .start(
                workflow, (input == null ? JsonText.object().done() : input).toString(), options);
    return Response.created(
        started.created(),
        JsonText.object().putText("id", started.id()).putText("outcome", started.outcome()).done());
  }

  private static RunFilter filter(Query query) {
    String workflow = query.text("workflow");
    String tag = query.text("tag");
    UUID parent = query.parsed("parent", UUID::fromString, "the id of a run");
    RunFilter filter =
        new RunFilter(
            query.anyOf("state", RunState.class),
            null,
            null,
            parent == null ? null : new RunId(parent),
            query.instant("createdAfter"),
            query.instant("createdBefore"),
            query.truth("stranded"));
    filter = workflow == null ? filter : filter.workflow(workflow);
    return tag == null ? filter : filter.tag(tag);
  }

  private Response list(Call call) {
    RunFilter filter = filter(call.query());
    Visible visible = Visible.to(call);
    return paging.page(
        call,
        new Paging.Listed<RunId, Run>(
            "runs",
            text -> new RunId(UUID.fromString(text)),
            run -> run.id().toString(),
            run -> RunView.run(run, visible),
            RunView::characters),
        (after, limit) ->
            runs(call).list(filter, after == null ? Page.first(limit) : Page.after(after, limit)));
  }

  private Response count(Call call) {
    RunFilter filter = filter(call.query());
    call.query().done();
    return Paging.counts(runs(call).count(filter));
  }

  private static RunId id(Call call) {
    return new RunId(call.uuid("run", Code.RUN_NOT_FOUND));
  }

  private static Run find(Call call) {
    RunId id = id(call);
    return runs(call)
        .find(id)
        .orElseThrow(
            () -> Code.RUN_NOT_FOUND.because("Run %s does not exist, or is no longer kept.", id));
  }

  private Response read(Call call) {
    call.query().done();
    return Response.ok(RunView.run(find(call), Visible.to(call)));
  }

  private Response events(Call call) {
    long after = Math.max(0, readSeq(call.query().text("after")));
    int limit = call.query().integer("limit", 1, EVENTS, EVENTS);
    call.query().done();
    ArrayNode events = JsonText.array();
    runs(call)
        .events(id(call), Page.after(after, limit))
        .forEach(event -> events.add(RunView.event(event)));
    return Response.ok(JsonText.object().set("events", events).done());
  }

  private Response items(Call call) {
    RunId run = id(call);
    String step = call.path("step");
    boolean payloads = call.readsPayloads();
    return paging.page(
        call,
        new Paging.Listed<Integer, RunItem>(
            "items",
            Integer::valueOf,
            item -> String.valueOf(item.position()),
            item -> RunView.item(item, payloads),
            RunView::characters),
        (after, limit) ->
            runs(call).items(run, step).stream()
                .skip(after == null ? 0 : after + 1L)
                .limit(limit)
                .toList());
  }

  private Response recover(Call call) {
    call.optionalBody().done();
    Patterns.requireAll(call);
    return operations.audited(
        call,
        Act.of("runs.recover", null),
        () ->
            Response.ok(
                JsonText.object()
                    .set("repairs", JsonText.texts(runs(call).recoverStuck()))
                    .done()));
  }

  private static long readSeq(@Nullable String text) {
    try {
      return text == null ? 0 : Long.parseLong(text);
    } catch (NumberFormatException notANumber) {
      throw Code.INVALID_REQUEST.because("Parameter 'after' must be the number of an event.");
    }
  }

  private static Change change(Call call, String action, Run run) {
    return Change.of(
        "run." + action,
        run.id().toString(),
        () ->
            runs(call)
                .find(run.id())
                .map(now ->
                    JsonText.object()
                        .putText("state", now.state())
                        .put("hash", now.definition())
                        .done())
                .orElse(null));
  }

  /** Carries out an operation on a run that the key may use. */
  private Response operate(Call call, String action, Consumer<RunId> operation) {
    Run run = find(call);
    Patterns.requireWorkflow(call, run.workflow());
    return operations.audited(
        call,
        change(call, action, run),
        () -> {
          operation.accept(run.id());
          return new Response.Nothing();
        });
  }

  private Response cancel(Call call) {
    Fields body = call.optionalBody();
    String reason = body.textOr("reason", null);
    body.done();
    String why = reason == null || reason.isBlank() ? "by request" : reason;
    return operate(call, "cancel", id -> runs(call).cancel(id, why));
  }

  private Response pause(Call call) {
    call.optionalBody().done();
    return operate(call, "pause", runs(call)::pause);
  }

  private Response resume(Call call) {
    call.optionalBody().done();
    return operate(call, "resume", runs(call)::resume);
  }

  private Response retry(Call call) {
    call.optionalBody().done();
    return operate(call, "retry", runs(call)::retry);
  }

  private Response rerun(Call call) {
    Fields body = call.optionalBody();
    List<String> from = body.texts("from");
    JsonNode input = body.json("input");
    Map<String, String> outputs = new HashMap<>();
    body.map("outputs").forEach((step, output) -> outputs.put(step, output.toString()));
    body.done();
    Run run = find(call);
    Patterns.requireWorkflow(call, run.workflow());
    RerunOptions options = new RerunOptions(from, input == null ? null : input.toString(), outputs);
    RunId fresh =
        call.isRepeatable()
            ? call.tenant().client().rerun(run.id(), options, new RunId(call.newId()))
            : runs(call).rerun(run.id(), options);
    ObjectNode view =
        JsonText.object().putText("id", fresh).putText("outcome", Started.Outcome.CREATED).done();
    return Response.created(true, view);
  }

  private Response signal(Call call) {
    SignalBody signal = SignalBody.of(call);
    Run run = find(call);
    Patterns.requireWorkflow(call, run.workflow());
    runs(call).signal(run.id(), signal.name(), signal.payload(), with -> with.id(signal.id()));
    return Response.ok(JsonText.object().put("id", signal.id()).done());
  }

  private Response move(Call call) {
    Fields body = call.body();
    String hash = body.text("hash");
    boolean dryRun = body.truth("dryRun");
    body.done();
    Run run = find(call);
    Patterns.requireWorkflow(call, run.workflow());
    return operations.audited(
        call,
        change(call, "move", run),
        () ->
            Response.ok(
                JsonText.object()
                    .put("dryRun", dryRun)
                    .set("differences", JsonText.texts(runs(call).move(run.id(), hash, dryRun)))
                    .done()));
  }
}
