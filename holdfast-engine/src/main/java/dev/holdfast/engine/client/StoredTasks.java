package dev.holdfast.engine.client;

import dev.holdfast.api.Tasks;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.TaskStore;
import java.util.List;
import java.util.Optional;

/** Manages the limits and circuit breakers of tasks in the store, and notifies the nodes. */
final class StoredTasks implements Tasks {
  private final TaskStore tasks;
  private final SignalBus bus;

  StoredTasks(TaskStore tasks, SignalBus bus) {
    this.tasks = tasks;
    this.bus = bus;
  }

  @Override
  public void limit(String task, int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "A limit of %d for task '%s' is not valid: use at least 1.".formatted(most, task));
    }
    tasks.limit(Names.task(task), most);
    bus.publish(new Signal.TaskChanged(task));
  }

  @Override
  public boolean unlimit(String task) {
    TaskStore.Rule rule = tasks.rules().get(Names.task(task));
    tasks.limit(task, null);
    bus.publish(new Signal.TaskChanged(task));
    return rule != null && rule.limit() != null;
  }

  @Override
  public boolean closeBreaker(String task) {
    boolean wasOpen = tasks.closeBreaker(Names.task(task));
    bus.publish(new Signal.TaskChanged(task));
    return wasOpen;
  }

  @Override
  public Optional<TaskStatus> find(String task) {
    String name = Names.task(task);
    return list().stream().filter(status -> status.task().equals(name)).findFirst();
  }

  @Override
  public List<TaskStatus> list() {
    return tasks.list();
  }
}
