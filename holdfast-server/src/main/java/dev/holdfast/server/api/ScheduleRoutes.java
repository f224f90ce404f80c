package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.EXECUTE;
import static dev.holdfast.server.http.Permission.OPERATE;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Misfire;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.schedule.ScheduleStatus;
import dev.holdfast.api.schedule.Schedules;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.server.api.Operations.Change;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Schedules. */
final class ScheduleRoutes {
  private static final String SCHEDULES = "/v1/tenants/{tenant}/schedules";
  private static final int NEXT = 5;

  private final Paging paging;
  private final Operations operations;

  ScheduleRoutes(Services services) {
    this.paging = new Paging(services.cursors());
    this.operations = new Operations(services.audit());
  }

  List<Route> routes() {
    return List.of(
        Route.get(SCHEDULES, READ, this::list),
        Route.get(SCHEDULES + "/{schedule}", READ, this::read),
        Route.of(Method.PUT, SCHEDULES + "/{schedule}", EXECUTE, this::put),
        Route.of(Method.DELETE, SCHEDULES + "/{schedule}", OPERATE, this::delete),
        Route.post(SCHEDULES + "/{schedule}/pause", OPERATE, this::pause),
        Route.post(SCHEDULES + "/{schedule}/resume", OPERATE, this::resume),
        Route.creating(SCHEDULES + "/{schedule}/fire", OPERATE, this::fire));
  }

  private static Schedules schedules(Call call) {
    return call.tenant().client().schedules();
  }

  private Response list(Call call) {
    boolean payloads = call.readsPayloads();
    return paging.page(
        call,
        new Paging.Listed<String, ScheduleStatus>(
            "schedules",
            Function.identity(),
            ScheduleStatus::id,
            schedule -> view(schedule, payloads)),
        schedules(call)::list);
  }

  private static String id(Call call) {
    return Schedule.checkId(call.path("schedule"));
  }

  private static RuntimeException notFound(String id) {
    return Code.SCHEDULE_NOT_FOUND.because("Schedule '%s' does not exist.", id);
  }

  private static ScheduleStatus find(Call call) {
    String id = id(call);
    return schedules(call).find(id).orElseThrow(() -> notFound(id));
  }

  private Response read(Call call) {
    call.query().done();
    ScheduleStatus schedule = find(call);
    ObjectNode view = view(schedule, call.readsPayloads());
    ArrayNode next = JsonText.array();
    schedules(call).next(schedule.id(), NEXT).forEach(time -> next.add(time.toString()));
    view.set("next", next);
    return Response.ok(view);
  }

  private static ObjectNode view(ScheduleStatus schedule, boolean payloads) {
    Recurrence recurrence = schedule.recurrence();
    JsonText.Obj view =
        JsonText.object()
            .put("id", schedule.id())
            .put("application", schedule.application())
            .put("task", schedule.task())
            .put("queue", schedule.queue())
            .put("priority", schedule.priority())
            .set("tags", JsonText.texts(new TreeSet<>(schedule.tags())))
            .putText("timing", recurrence.timing())
            .putText("misfire", recurrence.misfire())
            .putText("overlap", recurrence.overlap())
            .put("jitter", recurrence.jitter())
            .put("from", recurrence.from())
            .put("until", recurrence.until())
            .put("paused", schedule.paused())
            .put("nextFire", schedule.nextFire())
            .put("lastFire", schedule.lastFire());
    if (payloads) {
      view.set(
          "payload", schedule.payload() == null ? null : JsonText.orString(schedule.payload()));
    }
    return view.done();
  }

  private Response put(Call call) {
    Fields body = call.body();
    String task = body.text("task");
    JsonNode payload = JobFields.payload(body);
    String cron = body.textOr("cron", null);
    String zone = body.textOr("zone", "UTC");
    Duration every = body.duration("every");
    Misfire misfire =
        body.parsed("misfire", Misfire::parse, "must be SKIP, FIRE_ONCE or CATCH_UP(n)");
    Overlap overlap = body.oneOf("overlap", Overlap.class);
    Duration jitter = body.duration("jitter");
    var from = body.instant("from");
    var until = body.instant("until");
    Consumer<JobOptions.Builder> options = JobFields.options(body, false);
    body.done();
    if ((cron == null) == (every == null)) {
      throw Code.INVALID_REQUEST.because("Give either cron or every.");
    }
    Patterns.requireTask(call, task);
    if (call.caller().isRestricted()) {
      // A limited key must not take over a schedule of another task.
      schedules(call).find(id(call)).ifPresent(known -> Patterns.requireTask(call, known.task()));
    }
    TaskType<JsonNode, Void> type = TaskType.of(task, JsonNode.class);
    Timing timing =
        cron != null
            ? new Timing.Cron(cron, Timing.zone(zone == null ? "UTC" : zone))
            : new Timing.Every(every == null ? Duration.ZERO : every);
    Schedule schedule =
        new Schedule(
            id(call),
            type,
            payload,
            new Recurrence(
                timing,
                misfire == null ? Misfire.FIRE_ONCE : misfire,
                overlap == null ? Overlap.SKIP : overlap,
                jitter == null ? Duration.ZERO : jitter,
                from,
                until),
            type.defaults().with(options));
    return operations.audited(
        call,
        change(call, "put", schedule.id()),
        () -> {
          PutResult result = schedules(call).put(schedule);
          return Response.created(
              result == PutResult.CREATED,
              JsonText.object().put("id", schedule.id()).putText("result", result).done());
        });
  }

  /** Without the payload: a key that may read the audit log may not be allowed to read payloads. */
  private static Change change(Call call, String action, String id) {
    return Change.of(
        "schedule." + action,
        id,
        () -> schedules(call).find(id).map(now -> view(now, false)).orElse(null));
  }

  private Response change(Call call, String action, BooleanSupplier change) {
    call.optionalBody().done();
    ScheduleStatus schedule = find(call);
    Patterns.requireTask(call, schedule.task());
    return operations.audited(
        call,
        change(call, action, schedule.id()),
        () -> {
          if (!change.getAsBoolean()) {
            throw notFound(schedule.id());
          }
          return new Response.Nothing();
        });
  }

  private Response delete(Call call) {
    return change(call, "delete", () -> schedules(call).cancel(id(call)));
  }

  private Response pause(Call call) {
    return change(call, "pause", () -> schedules(call).pause(id(call)));
  }

  private Response resume(Call call) {
    return change(call, "resume", () -> schedules(call).resume(id(call)));
  }

  private Response fire(Call call) {
    call.optionalBody().done();
    ScheduleStatus schedule = find(call);
    Patterns.requireTask(call, schedule.task());
    return operations.audited(
        call,
        change(call, "fire", schedule.id()),
        () ->
            switch (fire(call, schedule.id())) {
              case FireResult.Fired fired ->
                  Response.created(true, JsonText.object().putText("job", fired.job()).done());
              case FireResult.Overlapped live ->
                  throw Code.SCHEDULE_OVERLAPS.because(
                      "Job %s of schedule '%s' has not ended.", live.live(), schedule.id());
              case FireResult.NotFound gone -> throw notFound(schedule.id());
            });
  }

  private static FireResult fire(Call call, String schedule) {
    return call.isRepeatable()
        ? call.tenant().client().fire(schedule, new JobId(call.newId()))
        : schedules(call).fire(schedule);
  }
}
