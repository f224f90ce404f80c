package dev.holdfast.cli.ops;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A trigger as the commands print it, with its conditions as text. */
record TriggerView(
    String id,
    boolean paused,
    String event,
    String task,
    List<String> conditions,
    Duration window,
    @Nullable String subject,
    @Nullable Duration debounce,
    @Nullable Duration maxWait,
    @Nullable Duration cooldown,
    String queue,
    int priority,
    Set<String> tags) {

  static TriggerView of(TriggerStatus status) {
    Trigger trigger = status.trigger();
    return new TriggerView(
        trigger.id(),
        status.paused(),
        trigger.event(),
        trigger.task(),
        trigger.conditions().stream().map(TriggerView::words).toList(),
        trigger.window(),
        trigger.subject(),
        trigger.debounce(),
        trigger.maxWait(),
        trigger.cooldown(),
        trigger.queue(),
        trigger.priority(),
        trigger.tags());
  }

  private static String words(Condition condition) {
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
