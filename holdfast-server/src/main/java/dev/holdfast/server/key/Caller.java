package dev.holdfast.server.key;

import dev.holdfast.engine.rule.TaskPattern;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a request: a valid key.
 *
 * @param key the id of the key
 * @param name its display name
 * @param tenant the name of its tenant; null for a key of the installation, which may act in all
 *     tenants
 * @param attributes what it may do
 * @param tasks the tasks it may run and control; empty for all
 * @param workflows the workflows it may run and control; empty for all
 */
public record Caller(
    String key,
    String name,
    @Nullable String tenant,
    Set<Attribute> attributes,
    List<String> tasks,
    List<String> workflows) {

  /** Copies the collections. */
  public Caller {
    attributes = Set.copyOf(attributes);
    tasks = List.copyOf(tasks);
    workflows = List.copyOf(workflows);
  }

  /** Returns whether the key belongs to the installation and not to a tenant. */
  public boolean isAdmin() {
    return tenant == null;
  }

  /** Returns whether the key has an attribute. */
  public boolean has(Attribute attribute) {
    return attributes.contains(attribute);
  }

  /** Returns whether the key may run and control jobs of this task. */
  public boolean mayUseTask(String task) {
    return matches(tasks, task);
  }

  /** Returns whether the key may run and control runs of this workflow. */
  public boolean mayUseWorkflow(String workflow) {
    return matches(workflows, workflow);
  }

  /** Returns whether the key is limited to some tasks or workflows. */
  public boolean isRestricted() {
    return !tasks.isEmpty() || !workflows.isEmpty();
  }

  private static boolean matches(List<String> patterns, String name) {
    return patterns.isEmpty()
        || patterns.stream().anyMatch(pattern -> TaskPattern.of(pattern).matches(name));
  }
}
