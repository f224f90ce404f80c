package dev.holdfast.cli.print;

import dev.holdfast.api.trigger.Condition;
import java.util.stream.Collectors;

/** Describes conditions in words. */
public final class ConditionText {

  private ConditionText() {}

  public static String of(Condition condition) {
    return switch (condition) {
      case Condition.Is(var field, var value) -> "%s is %s".formatted(field, value);
      case Condition.IsNot(var field, var value) -> "%s is not %s".formatted(field, value);
      case Condition.IsOneOf(var field, var values) ->
          "%s is one of %s"
              .formatted(
                  field, values.stream().map(Object::toString).collect(Collectors.joining(", ")));
      case Condition.Exists(var field) -> "%s exists".formatted(field);
      case Condition.IsMissing(var field) -> "%s is missing".formatted(field);
      case Condition.IsGreaterThan(var field, var bound) ->
          "%s is greater than %s".formatted(field, bound.toPlainString());
      case Condition.IsLessThan(var field, var bound) ->
          "%s is less than %s".formatted(field, bound.toPlainString());
    };
  }
}
