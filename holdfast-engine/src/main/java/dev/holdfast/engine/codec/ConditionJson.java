package dev.holdfast.engine.codec;

import dev.holdfast.api.trigger.Condition;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts a {@link Condition} to and from the JSON that is stored. */
public final class ConditionJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private ConditionJson() {}

  /** Writes a condition. */
  public static ObjectNode write(Condition condition) {
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

  /**
   * Reads a condition.
   *
   * @throws IllegalStateException if its kind is not known
   */
  public static Condition read(JsonNode json) {
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
        "Condition %s is not known to this version of Holdfast: update this application."
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
}
