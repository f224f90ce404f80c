package dev.holdfast.worker;

import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.NodeBuilder;

/**
 * Takes the handlers of a module and leaves out its workflows: a worker cannot start runs, so it
 * must not claim the jobs that do.
 */
record HandlerBinder(NodeBuilder node) implements TaskModule.Binder {
  @Override
  public <P, R> HandlerBinder handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    node.handle(type, handler);
    return this;
  }

  @Override
  public <P> HandlerBinder handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    node.handle(type, handler);
    return this;
  }

  @Override
  public <P, R> HandlerBinder handle(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      RecoveryPolicy<P> recovery) {
    node.handle(type, handler, recovery);
    return this;
  }

  @Override
  public <P> HandlerBinder handle(
      TaskType<P, Void> type, VoidTaskHandler<? super P> handler, RecoveryPolicy<P> recovery) {
    node.handle(type, handler, recovery);
    return this;
  }

  @Override
  public <I, R> HandlerBinder workflow(Workflow<I, R> workflow) {
    return this;
  }
}
