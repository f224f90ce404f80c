package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.EXECUTE;
import static dev.holdfast.server.http.Permission.WORK;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.node.WorkerNodes.Worker;
import dev.holdfast.server.tenant.TenantState;
import dev.holdfast.server.worker.ClaimCall;
import dev.holdfast.server.worker.RemoteWorkers;
import dev.holdfast.server.worker.Reported;
import dev.holdfast.server.worker.WorkerBeat;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/** Remote workers: register, claim jobs, stay alive, report how jobs ended. */
public final class WorkerRoutes {
  private static final String WORKERS = "/v1/tenants/{tenant}/workers";
  private static final int MOST_AT_ONCE = 1_000;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private final RemoteWorkers workers;
  private final BiConsumer<Call, UUID> registered;

  public WorkerRoutes(RemoteWorkers workers) {
    this(workers, (call, worker) -> {});
  }

  /**
   * @param registered learns of each registration
   */
  public WorkerRoutes(RemoteWorkers workers, BiConsumer<Call, UUID> registered) {
    this.workers = workers;
    this.registered = registered;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    WorkerSteps steps = new WorkerSteps(workers);
    WorkerJobs jobs = new WorkerJobs(workers);
    return List.of(
        Route.post(WORKERS, WORK, this::register),
        Route.post(WORKERS + "/{worker}/claim", WORK, this::claim),
        Route.post(WORKERS + "/{worker}/start", WORK, this::start),
        Route.post(WORKERS + "/{worker}/heartbeat", WORK, this::heartbeat),
        Route.post(WORKERS + "/{worker}/progress", WORK, this::progress),
        Route.post(WORKERS + "/{worker}/outcomes", WORK, this::outcomes),
        Route.post(WORKERS + "/{worker}/journal", WORK, steps::journal),
        Route.post(WORKERS + "/{worker}/steps", WORK, steps::append),
        Route.post(WORKERS + "/{worker}/signals", WORK, steps::take),
        Route.post(WORKERS + "/{worker}/jobs", EXECUTE, jobs::enqueue),
        Route.of(Method.DELETE, WORKERS + "/{worker}", WORK, this::deregister));
  }

  private Response register(Call call) {
    WorkerFields.Registration asked = WorkerFields.registration(call);
    NodeRegistration node = asked.node();
    node.tasks().forEach(task -> Patterns.requireTask(call, task));
    CallingWorker.requirePermitted(workers, call, node.incarnation());
    CallingWorker.requirePermitted(workers, call, asked.replaces());
    if (call.tenant().tenant().state() == TenantState.SUSPENDED) {
      throw Code.TENANT_SUSPENDED.because(
          "Tenant '%s' accepts no workers until it is resumed.", call.tenant().tenant().name());
    }
    workers.register(call.tenant(), node, asked.replaces());
    registered.accept(call, node.incarnation());
    Duration timeout = node.timeouts().running();
    return Response.created(
        true,
        JsonText.object()
            .putText("worker", node.incarnation())
            .put("id", node.id())
            .put("timeout", timeout)
            .put("heartbeatEvery", timeout.dividedBy(6))
            .put("fenceAfter", WorkerFields.fenceAfter(timeout))
            .done());
  }

  private Worker worker(Call call) {
    return CallingWorker.of(workers, call);
  }

  private Response claim(Call call) {
    Worker worker = worker(call);
    Fields body = call.body();
    Long number = body.number("call");
    Integer start = body.integer("max");
    Integer prefetch = body.integer("prefetch");
    Set<String> queues = new LinkedHashSet<>(body.texts("queues"));
    Set<String> tasks = new LinkedHashSet<>(body.texts("tasks"));
    Set<String> stacks = new LinkedHashSet<>();
    body.texts("stacks").forEach(stack -> stacks.add(WorkerFields.stack(stack)));
    Long from = body.number("from");
    Duration wait = body.duration("wait");
    List<Reported> reports = WorkerFields.reports(body);
    body.done();
    if (number == null || number <= 0) {
      throw Code.INVALID_REQUEST.because(
          "Give the number of the call: 1 for the first, and another one for each that follows.");
    }
    int most = bounded("max", start, 1) + bounded("prefetch", prefetch, 0);
    requireKnown("queue", queues, worker.queues());
    requireKnown("task", tasks, worker.tasks());
    List<Reported.Result> results = workers.record(call.tenant(), worker, reports);
    ClaimCall asked =
        new ClaimCall(
            number,
            start == null ? 1 : start,
            most - (start == null ? 1 : start),
            queues.isEmpty() ? worker.queues() : queues,
            List.copyOf(tasks.isEmpty() ? worker.tasks() : tasks),
            stacks,
            from == null ? 0 : Math.clamp(from, 0, number),
            waiting(wait));
    ArrayNode jobs = JsonText.array();
    for (ClaimedJob job : workers.claim(call.tenant(), worker, asked)) {
      jobs.add(WorkerView.job(job));
    }
    return Response.ok(
        JsonText.object()
            .put("call", number)
            .set("jobs", jobs)
            .set("outcomes", WorkerView.results(reports, results))
            .done());
  }

  private static int bounded(String field, @Nullable Integer value, int otherwise) {
    if (value == null) {
      return otherwise;
    }
    if (value < 0 || value > MOST_AT_ONCE) {
      throw Code.INVALID_REQUEST.because(
          "%s = %d is not possible: give 0 to %d.", field, value, MOST_AT_ONCE);
    }
    return value;
  }

  private static Duration waiting(@Nullable Duration wait) {
    if (wait == null) {
      return Duration.ZERO;
    }
    if (wait.isNegative() || wait.compareTo(LONGEST_WAIT) > 0) {
      throw Code.INVALID_REQUEST.because(
          "wait = %s is not possible: give PT0S to %s.", wait, LONGEST_WAIT);
    }
    return wait;
  }

  private static void requireKnown(String what, Set<String> given, Set<String> registered) {
    for (String one : given) {
      if (!registered.contains(one)) {
        throw Code.INVALID_REQUEST.because(
            "The worker has not registered %s '%s': register again with it, or leave it out.",
            what, one);
      }
    }
  }

  private Response start(Call call) {
    Worker worker = worker(call);
    Fields body = call.body();
    List<ClaimId> claims = WorkerFields.claims(body, "jobs");
    body.done();
    Set<ClaimId> started = workers.start(call.tenant(), worker, claims);
    ArrayNode results = JsonText.array();
    for (ClaimId claim : claims) {
      results.add(
          WorkerView.claim(claim)
              .put("result", started.contains(claim) ? "STARTED" : "LOST")
              .done());
    }
    return Response.ok(JsonText.object().set("jobs", results).done());
  }

  private Response heartbeat(Call call) {
    Worker worker = worker(call);
    WorkerBeat beat = WorkerFields.beat(call.optionalBody());
    return Response.ok(WorkerView.reply(workers.beat(call.tenant(), worker, beat)));
  }

  private Response progress(Call call) {
    Worker worker = worker(call);
    Fields body = call.body();
    var notes = WorkerFields.notes(body);
    body.done();
    Set<ClaimId> stored = workers.note(call.tenant(), worker, notes);
    ArrayNode results = JsonText.array();
    for (ClaimId claim : notes.keySet()) {
      results.add(
          WorkerView.claim(claim)
              .put("result", stored.contains(claim) ? "STORED" : "NOT_STORED")
              .done());
    }
    return Response.ok(JsonText.object().set("jobs", results).done());
  }

  private Response outcomes(Call call) {
    Worker worker = worker(call);
    Fields body = call.body();
    List<Reported> reports = WorkerFields.reports(body);
    body.done();
    if (reports.isEmpty()) {
      throw Code.INVALID_REQUEST.because("Give the outcomes of 1 to %d jobs.", MOST_AT_ONCE);
    }
    List<Reported.Result> results = workers.record(call.tenant(), worker, reports);
    return Response.ok(
        JsonText.object().set("outcomes", WorkerView.results(reports, results)).done());
  }

  private Response deregister(Call call) {
    Worker worker = worker(call);
    call.query().done();
    workers.leave(call.tenant(), worker);
    return new Response.Nothing();
  }
}
