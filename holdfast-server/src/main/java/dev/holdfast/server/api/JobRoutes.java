package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.EXECUTE;
import static dev.holdfast.server.http.Permission.OPERATE;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.Page;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.server.api.Operations.Change;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Query;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Jobs, and the dead-letter queue. */
final class JobRoutes {
  private static final String JOBS = "/v1/tenants/{tenant}/jobs";
  private static final String DEAD = "/v1/tenants/{tenant}/dead-letters";
  private static final int BULK = 1_000;

  private final Paging paging;
  private final Operations operations;

  JobRoutes(Services services) {
    this.paging = new Paging(services.cursors());
    this.operations = new Operations(services.audit());
  }

  List<Route> routes() {
    return List.of(
        Route.creating(JOBS, EXECUTE, this::enqueue),
        Route.creating(JOBS + "/bulk", EXECUTE, this::enqueueAll),
        Route.get(JOBS, READ, this::list),
        Route.get(JOBS + "/counts", READ, this::count),
        Route.get(JOBS + "/{job}", READ, this::read),
        Route.post(JOBS + "/{job}/cancel", OPERATE, this::cancel),
        Route.post(JOBS + "/{job}/retry", OPERATE, this::retry),
        Route.post(JOBS + "/{job}/requeue", OPERATE, this::requeue),
        Route.creating(JOBS + "/{job}/signals", EXECUTE, this::signal),
        Route.post(DEAD + "/retry", OPERATE, this::retryAll),
        Route.post(DEAD + "/purge", OPERATE, this::purge));
  }

  private static HoldfastClient client(Call call) {
    return call.tenant().client();
  }

  private Response enqueue(Call call) {
    Fields body = call.body();
    NewJob job = newJob(body);
    body.done();
    Enqueued<?> enqueued = client(call).enqueue(job.request(call, call.newId()));
    return Response.created(enqueued.created(), view(enqueued));
  }

  private Response enqueueAll(Call call) {
    Fields body = call.body();
    List<NewJob> jobs = new ArrayList<>();
    for (Fields each : body.objects("jobs")) {
      jobs.add(newJob(each));
      each.noOthers();
    }
    body.done();
    if (jobs.isEmpty() || jobs.size() > BULK) {
      throw Code.INVALID_REQUEST.because(
          "%d jobs are not possible in one request: give 1 to %d.", jobs.size(), BULK);
    }
    UUID first = call.newId();
    List<JobRequest<JsonNode, Void>> requests = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      requests.add(jobs.get(i).request(call, nth(first, i)));
    }
    ArrayNode results = JsonText.array();
    client(call).enqueueAll(requests).forEach(enqueued -> results.add(view(enqueued)));
    return Response.created(true, JsonText.object().set("jobs", results).done());
  }

  /** The same ids for a repeated request. */
  private static UUID nth(UUID first, int index) {
    long low = first.getLeastSignificantBits();
    return new UUID(first.getMostSignificantBits(), (low & ~0xFFFFL) | ((low + index) & 0xFFFFL));
  }

  /** A job to be enqueued, before it is checked as a whole. */
  private record NewJob(
      String task, JsonNode payload, @Nullable UUID id, Consumer<JobOptions.Builder> options) {

    /**
     * @param otherwise the id for a request that may be repeated
     */
    JobRequest<JsonNode, Void> request(Call call, UUID otherwise) {
      TaskType<JsonNode, Void> type = TaskType.of(task, JsonNode.class);
      Patterns.requireTask(call, task);
      JobRequest<JsonNode, Void> request = JobRequest.of(type, payload, options);
      // A chosen id may have been used, so the store looks it up in history: not without need.
      UUID chosen = id == null && call.isRepeatable() ? otherwise : id;
      return chosen == null ? request : request.withId(new JobId(chosen));
    }
  }

  private static NewJob newJob(Fields fields) {
    return new NewJob(
        fields.text("task"),
        JobFields.payload(fields),
        fields.parsed("id", UUID::fromString, "must be a UUID"),
        JobFields.options(fields, true));
  }

  private static ObjectNode view(Enqueued<?> enqueued) {
    return JsonText.object()
        .putText("id", enqueued.id())
        .putText("outcome", enqueued.outcome())
        .done();
  }

  private static JobFilter filter(Query query) {
    JobFilter filter = JobFilter.all().states(query.anyOf("state", JobState.class));
    String queue = query.text("queue");
    String task = query.text("task");
    String tag = query.text("tag");
    filter = queue == null ? filter : filter.queue(queue);
    filter = task == null ? filter : filter.task(task);
    filter = tag == null ? filter : filter.tag(tag);
    return new JobFilter(
        filter.states(),
        filter.queue(),
        filter.task(),
        filter.tag(),
        query.instant("createdAfter"),
        query.instant("createdBefore"));
  }

  private Response list(Call call) {
    JobFilter filter = filter(call.query());
    Visible visible = Visible.to(call);
    return paging.page(
        call,
        new Paging.Listed<JobId, Job>(
            "jobs",
            JobId::parse,
            job -> job.id().toString(),
            job -> JobView.job(job, visible),
            JobView::characters),
        (after, limit) ->
            client(call)
                .list(filter, after == null ? Page.first(limit) : Page.after(after, limit)));
  }

  private Response count(Call call) {
    JobFilter filter = filter(call.query());
    call.query().done();
    return Paging.counts(client(call).count(filter));
  }

  private static JobId id(Call call) {
    return new JobId(call.uuid("job", Code.JOB_NOT_FOUND));
  }

  private static Job find(Call call) {
    JobId id = id(call);
    return client(call).find(id).orElseThrow(() -> notFound(id));
  }

  private static RuntimeException notFound(JobId id) {
    return Code.JOB_NOT_FOUND.because("Job %s does not exist, or is no longer kept.", id);
  }

  private Response read(Call call) {
    call.query().done();
    Job job = find(call);
    Visible visible = Visible.to(call);
    ObjectNode view = JobView.job(job, visible);
    WaitReason reason = client(call).whyWaiting(job.id()).orElse(null);
    view.set("why", new Why(job, visible).view(reason, call.tenant()));
    return Response.ok(view);
  }

  /** Finds the job that an operation is about, and checks that the key may use its task. */
  private static Job operated(Call call) {
    call.optionalBody().done();
    Job job = find(call);
    Patterns.requireTask(call, job.task());
    return job;
  }

  private static Response result(Object result) {
    return Response.ok(JsonText.object().putText("result", result).done());
  }

  private static Change change(Call call, String action, Job job) {
    return Change.of(
        "job." + action,
        job.id().toString(),
        () ->
            client(call)
                .find(job.id())
                .map(now -> JsonText.object().putText("state", now.state()).done())
                .orElse(null));
  }

  private Response cancel(Call call) {
    Job job = operated(call);
    return operations.audited(
        call,
        change(call, "cancel", job),
        () -> {
          CancelResult result = client(call).cancel(job.id());
          return switch (result) {
            case CANCELLED, REQUESTED -> result(result);
            case ALREADY_ENDED ->
                throw Code.JOB_STATE.because("Job %s has already ended.", job.id());
            case NOT_FOUND -> throw notFound(job.id());
          };
        });
  }

  private Response retry(Call call) {
    Job job = operated(call);
    return operations.audited(
        call,
        change(call, "retry", job),
        () -> {
          RetryResult result = client(call).retry(job.id());
          return switch (result) {
            case READY -> result(result);
            case NOT_FAILED ->
                throw Code.JOB_STATE.because("Job %s is not in the dead-letter queue.", job.id());
            case KEY_TAKEN -> throw taken(job);
            case NOT_FOUND -> throw notFound(job.id());
          };
        });
  }

  private static RuntimeException taken(Job job) {
    return Code.UNIQUE_KEY_TAKEN.because(
        "Another active job has the unique key of job %s: try again when it has ended.", job.id());
  }

  private Response requeue(Call call) {
    Job job = operated(call);
    return operations.audited(
        call,
        change(call, "requeue", job),
        () -> {
          RequeueResult result = client(call).requeue(job.id());
          return switch (result) {
            case READY, ALREADY_READY, REQUESTED -> result(result);
            case ENDED -> throw Code.JOB_STATE.because("Job %s has ended.", job.id());
            case KEY_TAKEN -> throw taken(job);
            case NOT_FOUND -> throw notFound(job.id());
          };
        });
  }

  private Response signal(Call call) {
    SignalBody signal = SignalBody.of(call);
    Job job = find(call);
    Patterns.requireTask(call, job.task());
    SignalResult result =
        client(call)
            .signal(job.id(), signal.name(), signal.payload(), with -> with.id(signal.id()));
    return switch (result) {
      case SENT, DUPLICATE -> result(result);
      case ENDED -> throw Code.JOB_STATE.because("Job %s has ended.", job.id());
      case NOT_FOUND -> throw notFound(job.id());
    };
  }

  /** Which dead-lettered jobs a request is about, also as the audit log records it. */
  private record DeadLetters(JobFilter filter, ObjectNode text) {}

  private static DeadLetters deadLetters(Call call) {
    Fields body = call.optionalBody();
    String task = body.textOr("task", null);
    String queue = body.textOr("queue", null);
    String tag = body.textOr("tag", null);
    Instant after = body.instant("createdAfter");
    Instant before = body.instant("createdBefore");
    body.done();
    if (task == null) {
      Patterns.requireAll(call);
    } else {
      Patterns.requireTask(call, task);
    }
    JobFilter filter = JobFilter.all();
    filter = task == null ? filter : filter.task(task);
    filter = queue == null ? filter : filter.queue(queue);
    filter = tag == null ? filter : filter.tag(tag);
    filter = after == null ? filter : filter.createdAfter(after);
    filter = before == null ? filter : filter.createdBefore(before);
    return new DeadLetters(
        filter,
        JsonText.object()
            .put("task", task)
            .put("queue", queue)
            .put("tag", tag)
            .put("createdAfter", after)
            .put("createdBefore", before)
            .done());
  }

  /** The audit log records the filter, and afterwards how many jobs it matched. */
  private Response ofAll(Call call, String action, ToLongFunction<JobFilter> operation) {
    DeadLetters dead = deadLetters(call);
    ObjectNode recorded = dead.text();
    return operations.audited(
        call,
        new Change("dead-letters." + action, dead.filter().task(), () -> null, recorded),
        () -> {
          long count = operation.applyAsLong(dead.filter());
          recorded.put("count", String.valueOf(count));
          return Response.ok(JsonText.object().put("count", count).done());
        });
  }

  private Response retryAll(Call call) {
    return ofAll(call, "retry", client(call)::retryAll);
  }

  private Response purge(Call call) {
    return ofAll(call, "purge", client(call)::purge);
  }
}
