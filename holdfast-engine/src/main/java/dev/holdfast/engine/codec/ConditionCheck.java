package dev.holdfast.engine.codec;

import dev.holdfast.api.trigger.Condition;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Evaluates conditions on JSON values, alike for the payloads of events and the contexts of steps.
 */
public final class ConditionCheck {
  private ConditionCheck() {}

  /** Returns whether a value meets a condition. */
  public static boolean meets(JsonNode json, Condition condition) {
    JsonNode value = at(json, condition.field());
    return switch (condition) {
      case Condition.Is is -> equal(value, is.value());
      case Condition.IsNot not -> !equal(value, not.value());
      case Condition.IsOneOf any -> any.values().stream().anyMatch(each -> equal(value, each));
      case Condition.Exists exists -> value != null;
      case Condition.IsMissing missing -> value == null;
      case Condition.IsGreaterThan greater -> compares(value, greater.bound(), 1);
      case Condition.IsLessThan less -> compares(value, less.bound(), -1);
    };
  }

  private static boolean equal(@Nullable JsonNode value, Object wanted) {
    return value != null
        && switch (wanted) {
          case BigDecimal number -> compares(value, number, 0);
          case Boolean truth -> value.isBoolean() && value.booleanValue() == truth;
          default -> value.isString() && value.stringValue().equals(wanted);
        };
  }

  private static boolean compares(@Nullable JsonNode value, BigDecimal bound, int sign) {
    return value != null
        && value.isNumber()
        && Integer.signum(value.decimalValue().compareTo(bound)) == sign;
  }

  /**
   * Returns the value at a path; null if there is none, or a JSON null. A field whose name contains
   * dots takes precedence.
   */
  public static @Nullable JsonNode at(JsonNode json, String path) {
    JsonNode found = json.path(path);
    if (found.isMissingNode()) {
      found = json;
      for (String name : path.split("\\.", -1)) {
        found = found.path(name);
      }
    }
    return found.isMissingNode() || found.isNull() ? null : found;
  }
}
