package dev.holdfast.engine.run;

import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The tasks that a node has handlers for. */
public final class TaskRegistry {
  private final Map<String, Registered<?, ?>> tasks;

  /** A task with its handler. */
  public record Registered<P, R>(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      Optional<RecoveryPolicy<P>> recovery) {}

  /**
   * Creates a registry of these tasks.
   *
   * @throws IllegalArgumentException if two of them have the same name
   */
  public TaskRegistry(Collection<Registered<?, ?>> registered) {
    Map<String, Registered<?, ?>> byName = new LinkedHashMap<>();
    for (Registered<?, ?> task : registered) {
      if (byName.put(task.type().name(), task) != null) {
        throw new IllegalArgumentException(
            "Task '%s' has two handlers: register only one.".formatted(task.type().name()));
      }
    }
    this.tasks = Map.copyOf(byName);
  }

  public Optional<Registered<?, ?>> find(String task) {
    return Optional.ofNullable(tasks.get(task));
  }

  public Set<String> names() {
    return tasks.keySet();
  }
}
