package dev.holdfast.api.workflow;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Tasks for graphs, and the problems of a graph. */
final class WorkflowFixture {
  record Order(String id) {}

  record Receipt(String id) {}

  static final TaskType<Order, Receipt> CHARGE =
      TaskType.of("orders::charge", Order.class, Receipt.class);
  static final TaskType<Object, Void> REFUND = TaskType.of("orders::refund", Object.class);
  static final TaskType<Order, List<Order>> SPLIT =
      TaskType.of("orders::split", TypeRef.of(Order.class), new TypeRef<List<Order>>() {});

  private WorkflowFixture() {}

  /** Adds a step that runs some task. */
  static Step<Receipt> add(Flow<Order> flow, String name) {
    return flow.step(name, CHARGE, flow.input());
  }

  static List<String> problems(Consumer<Flow<Order>> graph) {
    return problems("orders::fulfil", graph);
  }

  static List<String> problems(String name, Consumer<Flow<Order>> graph) {
    return problemsOf(() -> Workflow.define(name, Order.class, graph));
  }

  static <R> List<String> problemsWithResult(Function<Flow<Order>, Source<R>> graph) {
    return problemsOf(() -> Workflow.defineWithResult("orders::fulfil", Order.class, graph));
  }

  private static List<String> problemsOf(Runnable definition) {
    InvalidWorkflowException refused =
        catchThrowableOfType(InvalidWorkflowException.class, definition::run);
    return refused == null ? List.of() : refused.problems();
  }
}
