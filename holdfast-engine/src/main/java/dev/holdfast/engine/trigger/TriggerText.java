package dev.holdfast.engine.trigger;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.trigger.Trigger;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts a {@link Trigger} to and from the JSON that is stored. Durations are ISO-8601 text. */
public final class TriggerText {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private TriggerText() {}

  public static String write(Trigger trigger) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("id", trigger.id());
    json.put("event", trigger.event());
    json.put("task", trigger.task());
    json.put("window", trigger.window().toString());
    json.put("queue", trigger.queue());
    json.put("priority", trigger.priority());
    if (trigger.subject() != null) {
      json.put("subject", trigger.subject());
    }
    put(json, "debounce", trigger.debounce());
    put(json, "maxWait", trigger.maxWait());
    put(json, "cooldown", trigger.cooldown());
    ArrayNode conditions = json.putArray("conditions");
    trigger.conditions().forEach(condition -> conditions.add(conditionJson(condition)));
    ArrayNode tags = json.putArray("tags");
    trigger.tags().stream().sorted().forEach(tags::add);
    return MAPPER.writeValueAsString(json);
  }

  public static Trigger read(String text) {
    JsonNode json = MAPPER.readTree(text);
    List<Condition> conditions = new ArrayList<>();
    json.path("conditions").forEach(each -> conditions.add(condition(each)));
    Set<String> tags = new HashSet<>();
    json.path("tags").forEach(tag -> tags.add(tag.stringValue()));
    JsonNode subject = json.get("subject");
    return new Trigger(
        json.get("id").stringValue(),
        json.get("event").stringValue(),
        json.get("task").stringValue(),
        conditions,
        Duration.parse(json.get("window").stringValue()),
        subject == null ? null : subject.stringValue(),
        duration(json.get("debounce")),
        duration(json.get("maxWait")),
        duration(json.get("cooldown")),
        json.get("queue").stringValue(),
        json.get("priority").intValue(),
        tags);
  }

  private static ObjectNode conditionJson(Condition condition) {
    ObjectNode json = MAPPER.createObjectNode().put("field", condition.field());
    switch (condition) {
      case Condition.Is is -> json.set("is", scalarJson(is.value()));
      case Condition.IsNot not -> json.set("isNot", scalarJson(not.value()));
      case Condition.IsOneOf any -> {
        ArrayNode values = json.putArray("isOneOf");
        any.values().forEach(value -> values.add(scalarJson(value)));
      }
      case Condition.Exists exists -> json.put("exists", true);
      case Condition.IsMissing missing -> json.put("exists", false);
      case Condition.IsGreaterThan greater -> json.put("isGreaterThan", greater.bound());
      case Condition.IsLessThan less -> json.put("isLessThan", less.bound());
    }
    return json;
  }

  private static Condition condition(JsonNode json) {
    String field = json.get("field").stringValue();
    if (json.has("is")) {
      return new Condition.Is(field, scalar(json.get("is")));
    } else if (json.has("isNot")) {
      return new Condition.IsNot(field, scalar(json.get("isNot")));
    } else if (json.has("isOneOf")) {
      List<Object> values = new ArrayList<>();
      json.get("isOneOf").forEach(value -> values.add(scalar(value)));
      return new Condition.IsOneOf(field, values);
    } else if (json.has("exists")) {
      return json.get("exists").booleanValue()
          ? new Condition.Exists(field)
          : new Condition.IsMissing(field);
    } else if (json.has("isGreaterThan")) {
      return new Condition.IsGreaterThan(field, json.get("isGreaterThan").decimalValue());
    } else if (json.has("isLessThan")) {
      return new Condition.IsLessThan(field, json.get("isLessThan").decimalValue());
    }
    throw new IllegalStateException(
        "Condition %s of a stored trigger is not known to this version of Holdfast: update this application."
            .formatted(json));
  }

  private static JsonNode scalarJson(Object value) {
    return switch (value) {
      case BigDecimal number -> MAPPER.getNodeFactory().numberNode(number);
      case Boolean truth -> MAPPER.getNodeFactory().booleanNode(truth);
      default -> MAPPER.getNodeFactory().stringNode(value.toString());
    };
  }

  private static Object scalar(JsonNode json) {
    if (json.isNumber()) {
      return json.decimalValue();
    }
    return json.isBoolean() ? json.booleanValue() : json.stringValue();
  }

  private static void put(ObjectNode json, String field, @Nullable Duration value) {
    if (value != null) {
      json.put(field, value.toString());
    }
  }

  private static @Nullable Duration duration(@Nullable JsonNode json) {
    return json == null ? null : Duration.parse(json.stringValue());
  }
}
