package dev.holdfast.packages.scan;

import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;

/** What a module has added. */
public final class LoadedModule implements TaskModule.Binder {
  private final String name;
  private final List<String> tasks = new ArrayList<>();
  private final List<Workflow<?, ?>> workflows = new ArrayList<>();

  LoadedModule(String name) {
    this.name = name;
  }

  /** Returns the name of its class, and the class path that it was found on. */
  public String name() {
    return name;
  }

  /** Returns the names of the tasks that it has handlers for. */
  public List<String> tasks() {
    return tasks;
  }

  public List<Workflow<?, ?>> workflows() {
    return workflows;
  }

  private TaskModule.Binder add(TaskType<?, ?> type) {
    tasks.add(type.name());
    return this;
  }

  @Override
  public <P, R> TaskModule.Binder handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    return add(type);
  }

  @Override
  public <P> TaskModule.Binder handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    return add(type);
  }

  @Override
  public <P, R> TaskModule.Binder handle(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      RecoveryPolicy<P> recovery) {
    return add(type);
  }

  @Override
  public <P> TaskModule.Binder handle(
      TaskType<P, Void> type, VoidTaskHandler<? super P> handler, RecoveryPolicy<P> recovery) {
    return add(type);
  }

  @Override
  public <I, R> TaskModule.Binder workflow(Workflow<I, R> workflow) {
    workflows.add(workflow);
    return this;
  }
}
