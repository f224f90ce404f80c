package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.EXECUTE;
import static dev.holdfast.server.http.Permission.OPERATE;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.api.trigger.Triggers;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.ConditionJson;
import dev.holdfast.server.api.Operations.Change;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Triggers, and the events that they listen to. */
final class TriggerRoutes {
  private static final String TRIGGERS = "/v1/tenants/{tenant}/triggers";

  private static final List<String> TESTS =
      List.of("is", "isNot", "isOneOf", "exists", "isGreaterThan", "isLessThan");

  private final Paging paging;
  private final Operations operations;

  TriggerRoutes(Services services) {
    this.paging = new Paging(services.cursors());
    this.operations = new Operations(services.audit());
  }

  List<Route> routes() {
    return List.of(
        Route.get(TRIGGERS, READ, this::list),
        Route.get(TRIGGERS + "/{trigger}", READ, this::read),
        Route.of(Method.PUT, TRIGGERS + "/{trigger}", EXECUTE, this::put),
        Route.of(Method.DELETE, TRIGGERS + "/{trigger}", OPERATE, this::delete),
        Route.post(TRIGGERS + "/{trigger}/pause", OPERATE, this::pause),
        Route.post(TRIGGERS + "/{trigger}/resume", OPERATE, this::resume),
        Route.creating("/v1/tenants/{tenant}/events", EXECUTE, this::publish));
  }

  private static Triggers triggers(Call call) {
    return call.tenant().client().triggers();
  }

  private Response list(Call call) {
    return paging.page(
        call,
        new Paging.Listed<String, TriggerStatus>(
            "triggers", Function.identity(), status -> status.trigger().id(), TriggerRoutes::view),
        triggers(call)::list);
  }

  private static TriggerStatus find(Call call) {
    String id = call.path("trigger");
    return triggers(call).find(id).orElseThrow(() -> notFound(id));
  }

  private static RuntimeException notFound(String id) {
    return Code.TRIGGER_NOT_FOUND.because("Trigger '%s' does not exist.", id);
  }

  private Response read(Call call) {
    call.query().done();
    return Response.ok(view(find(call)));
  }

  private static ObjectNode view(TriggerStatus status) {
    Trigger trigger = status.trigger();
    ArrayNode conditions = JsonText.array();
    trigger.conditions().forEach(condition -> conditions.add(ConditionJson.write(condition)));
    return JsonText.object()
        .put("id", trigger.id())
        .put("event", trigger.event())
        .put("task", trigger.task())
        .set("conditions", conditions)
        .put("window", trigger.window())
        .put("subject", trigger.subject())
        .put("debounce", trigger.debounce())
        .put("maxWait", trigger.maxWait())
        .put("cooldown", trigger.cooldown())
        .put("queue", trigger.queue())
        .put("priority", trigger.priority())
        .set("tags", JsonText.texts(new TreeSet<>(trigger.tags())))
        .put("paused", status.paused())
        .done();
  }

  private Response put(Call call) {
    Fields body = call.body();
    String event = body.text("event");
    String task = body.text("task");
    List<Condition> conditions = new ArrayList<>();
    for (Fields each : body.objects("conditions")) {
      Condition condition = condition(each);
      if (condition != null) {
        conditions.add(condition);
      }
    }
    Duration window = body.duration("window");
    String subject = body.textOr("subject", null);
    Duration debounce = body.duration("debounce");
    Duration maxWait = body.duration("maxWait");
    Duration cooldown = body.duration("cooldown");
    String queue = body.textOr("queue", null);
    Integer priority = body.integer("priority");
    List<String> tags = body.texts("tags");
    body.done();
    Patterns.requireTask(call, task);
    if (call.caller().isRestricted()) {
      // A limited key must not take over a trigger of another task.
      triggers(call)
          .find(call.path("trigger"))
          .ifPresent(known -> Patterns.requireTask(call, known.trigger().task()));
    }
    Trigger.Builder trigger =
        Trigger.named(call.path("trigger"))
            .on(event)
            .start(task)
            .where(conditions.toArray(Condition[]::new))
            .tags(tags.toArray(String[]::new));
    trigger = window == null ? trigger : trigger.window(window);
    trigger = subject == null ? trigger : trigger.subject(subject);
    trigger = debounce == null ? trigger : trigger.debounce(debounce);
    trigger = maxWait == null ? trigger : trigger.maxWait(maxWait);
    trigger = cooldown == null ? trigger : trigger.cooldown(cooldown);
    trigger = queue == null ? trigger : trigger.queue(queue);
    trigger = priority == null ? trigger : trigger.priority(priority);
    Trigger built = trigger.build();
    return operations.audited(
        call,
        change(call, "put", built.id()),
        () -> {
          triggers(call).put(built);
          return Response.ok(JsonText.object().put("id", built.id()).done());
        });
  }

  /** Reads a condition, in the form in which it is shown; null if it has no field. */
  private static @Nullable Condition condition(Fields fields) {
    String field = fields.text("field");
    Map<String, JsonNode> tests = new LinkedHashMap<>();
    for (String name : TESTS) {
      JsonNode value = fields.json(name);
      if (value != null) {
        tests.put(name, value);
      }
    }
    fields.noOthers();
    if (field.isEmpty()) {
      return null;
    }
    if (tests.size() != 1) {
      throw Code.INVALID_REQUEST.because(
          "The condition on field '%s' needs exactly one of %s.", field, TESTS);
    }
    Map.Entry<String, JsonNode> test = tests.entrySet().iterator().next();
    JsonNode value = test.getValue();
    Condition.OnField on = Condition.field(field);
    return switch (test.getKey()) {
      case "is" -> on.is(scalar(value));
      case "isNot" -> on.isNot(scalar(value));
      case "isOneOf" -> on.isOneOf(scalars(value));
      case "isGreaterThan" -> on.isGreaterThan(number(value));
      case "isLessThan" -> on.isLessThan(number(value));
      default -> value.isBoolean() && !value.booleanValue() ? on.isMissing() : on.exists();
    };
  }

  private static Object scalar(JsonNode value) {
    if (value.isString()) {
      return value.stringValue();
    }
    if (value.isBoolean()) {
      return value.booleanValue();
    }
    return number(value);
  }

  private static Object[] scalars(JsonNode value) {
    if (!value.isArray()) {
      throw Code.INVALID_REQUEST.because("isOneOf needs a list of values.");
    }
    List<Object> all = new ArrayList<>();
    value.forEach(each -> all.add(scalar(each)));
    return all.toArray();
  }

  private static Number number(JsonNode value) {
    if (!value.isNumber()) {
      throw Code.INVALID_REQUEST.because("A condition needs a text, a number or a truth value.");
    }
    return value.decimalValue();
  }

  private static Change change(Call call, String action, String id) {
    return Change.of(
        "trigger." + action,
        id,
        () -> triggers(call).find(id).map(TriggerRoutes::view).orElse(null));
  }

  private Response change(Call call, String action, BooleanSupplier change) {
    call.optionalBody().done();
    TriggerStatus trigger = find(call);
    Patterns.requireTask(call, trigger.trigger().task());
    return operations.audited(
        call,
        change(call, action, trigger.trigger().id()),
        () -> {
          if (!change.getAsBoolean()) {
            throw notFound(trigger.trigger().id());
          }
          return new Response.Nothing();
        });
  }

  private Response delete(Call call) {
    return change(call, "delete", () -> triggers(call).delete(call.path("trigger")));
  }

  private Response pause(Call call) {
    return change(call, "pause", () -> triggers(call).pause(call.path("trigger")));
  }

  private Response resume(Call call) {
    return change(call, "resume", () -> triggers(call).resume(call.path("trigger")));
  }

  private Response publish(Call call) {
    Fields body = call.body();
    String event = body.text("event");
    JsonNode payload = JobFields.payload(body);
    body.done();
    if (call.caller().isRestricted()) {
      // A limited key must not start jobs of other tasks, whether they match the payload or not.
      triggers(call).list().stream()
          .map(TriggerStatus::trigger)
          .filter(trigger -> trigger.event().equals(event))
          .forEach(trigger -> Patterns.requireTask(call, trigger.task()));
    }
    HoldfastClient client = call.tenant().client();
    Published published =
        call.isRepeatable()
            ? client.publish(event, payload, call.newId())
            : client.publish(event, payload);
    ArrayNode outcomes = JsonText.array();
    published
        .outcomes()
        .forEach(outcome ->
            outcomes.add(
                JsonText.object()
                    .put("trigger", outcome.trigger())
                    .putText("decision", outcome.decision())
                    .putText("job", outcome.job())
                    .done()));
    return Response.ok(
        JsonText.object().put("event", published.event()).set("outcomes", outcomes).done());
  }
}
