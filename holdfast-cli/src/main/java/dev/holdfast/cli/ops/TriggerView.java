package dev.holdfast.cli.ops;

import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.cli.print.ConditionText;
import java.time.Duration;
import java.util.List;
import java.util.Set;
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
        trigger.conditions().stream().map(ConditionText::of).toList(),
        trigger.window(),
        trigger.subject(),
        trigger.debounce(),
        trigger.maxWait(),
        trigger.cooldown(),
        trigger.queue(),
        trigger.priority(),
        trigger.tags());
  }
}
