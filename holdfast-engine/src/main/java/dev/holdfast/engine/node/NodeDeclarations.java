package dev.holdfast.engine.node;

import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;

/** Adds what a module has to the builder of a node. */
record ModuleBinder(NodeBuilder node) implements TaskModule.Binder {

  @Override
  public <P, R> TaskModule.Binder handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    node.handle(type, handler);
    return this;
  }

  @Override
  public <P> TaskModule.Binder handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    node.handle(type, handler);
    return this;
  }

  @Override
  public <P, R> TaskModule.Binder handle(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      RecoveryPolicy<P> recovery) {
    node.handle(type, handler, recovery);
    return this;
  }

  @Override
  public <P> TaskModule.Binder handle(
      TaskType<P, Void> type, VoidTaskHandler<? super P> handler, RecoveryPolicy<P> recovery) {
    node.handle(type, handler, recovery);
    return this;
  }

  @Override
  public <I, R> TaskModule.Binder workflow(Workflow<I, R> workflow) {
    node.workflow(workflow);
    return this;
  }
}
