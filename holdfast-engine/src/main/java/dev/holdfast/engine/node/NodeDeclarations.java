package dev.holdfast.engine.node;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.schedule.Recurring;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.CanonicalJson;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.schedule.Planner;
import dev.holdfast.engine.schedule.RecurringReader;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.workflow.WorkflowCatalog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a node runs and declares: its handlers, workflows, schedules and triggers. */
final class NodeDeclarations implements TaskModule.Binder {
  final List<TaskRegistry.Registered<?, ?>> tasks = new ArrayList<>();
  final List<Workflow<?, ?>> workflows = new ArrayList<>();
  final List<Trigger> triggers = new ArrayList<>();
  private final List<Function<PayloadCodec, Schedule>> schedules = new ArrayList<>();

  @Override
  public <P, R> NodeDeclarations handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    return register(type, handler, Optional.empty());
  }

  @Override
  public <P> NodeDeclarations handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    return register(type, handler, Optional.empty());
  }

  @Override
  public <P, R> NodeDeclarations handle(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      RecoveryPolicy<P> recovery) {
    return register(type, handler, Optional.of(recovery));
  }

  @Override
  public <P> NodeDeclarations handle(
      TaskType<P, Void> type, VoidTaskHandler<? super P> handler, RecoveryPolicy<P> recovery) {
    return register(type, handler, Optional.of(recovery));
  }

  private <P, R> NodeDeclarations register(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      Optional<RecoveryPolicy<P>> recovery) {
    tasks.add(new TaskRegistry.Registered<>(type, handler, recovery));
    for (Recurring recurring : handler.getClass().getAnnotationsByType(Recurring.class)) {
      schedules.add(codec -> new RecurringReader(codec).read(recurring, type));
    }
    return this;
  }

  @Override
  public <I, R> NodeDeclarations workflow(Workflow<I, R> workflow) {
    workflows.add(workflow);
    return handle(workflow.starter(), new RunStartHandler<>(workflow));
  }

  Set<String> taskNames() {
    return tasks.stream().map(task -> task.type().name()).collect(Collectors.toSet());
  }

  void schedule(Schedule schedule) {
    schedules.add(codec -> schedule);
  }

  boolean hasSchedules() {
    return !schedules.isEmpty();
  }

  /** Returns the schedules, with their payloads encoded. */
  List<SchedulePlan> plans(PayloadCodec codec, Planner planner) {
    return schedules.stream().map(schedule -> planner.plan(schedule.apply(codec))).toList();
  }

  /**
   * Returns a hash of the workflows and schedules. It is the same in every process of the same
   * version of Holdfast that declares the same.
   */
  String hash(String application, PayloadCodec codec, Planner planner) {
    List<String> all = new ArrayList<>();
    workflows.forEach(workflow -> all.add(WorkflowCatalog.hash(workflow, codec)));
    plans(codec, planner).forEach(plan -> all.add(Planner.fingerprint(plan)));
    Collections.sort(all);
    return CanonicalJson.sha256(
        Version.current() + "\n" + application + "\n" + String.join("\n", all));
  }
}
