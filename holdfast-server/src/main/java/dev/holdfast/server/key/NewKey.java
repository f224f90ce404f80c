package dev.holdfast.server.key;

import dev.holdfast.api.internal.Names;
import dev.holdfast.engine.rule.TaskPattern;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for a key.
 *
 * @param name a display text
 * @param tasks patterns of the tasks it may use; empty for all
 * @param workflows patterns of the workflows it may use; empty for all
 * @param expiresAt when it stops working; null for never
 */
public record NewKey(
    String name,
    Set<Attribute> attributes,
    List<String> tasks,
    List<String> workflows,
    @Nullable Instant expiresAt) {

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public NewKey {
    Names.text("Key name", name);
    attributes = Set.copyOf(attributes);
    tasks = List.copyOf(tasks);
    workflows = List.copyOf(workflows);
    tasks.forEach(TaskPattern::of);
    workflows.forEach(TaskPattern::of);
  }

  /** Returns a key with the attributes of a preset, for all tasks and workflows, forever. */
  public static NewKey preset(String name, String preset) {
    return new NewKey(name, Attribute.preset(preset), List.of(), List.of(), null);
  }
}
