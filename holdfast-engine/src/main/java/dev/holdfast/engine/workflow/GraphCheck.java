package dev.holdfast.engine.workflow;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Flow;
import dev.holdfast.api.workflow.InvalidWorkflowException;
import dev.holdfast.api.workflow.Source;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.Node;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks graphs, which are data and may come from anywhere.
 *
 * <p>A graph that is registered must pass all checks that workflows pass when they are defined. One
 * that is stored already must only be consistent: runs pin it, and a later version of Holdfast with
 * more checks must not strand them.
 */
final class GraphCheck {
  private static final TypeRef<Object> ANY = TypeRef.of(Object.class);

  private final Graph graph;
  private final List<String> problems = new ArrayList<>();

  private GraphCheck(Graph graph) {
    this.graph = graph;
  }

  /**
   * Checks what the planner relies on: positions that exist, dependencies before their dependents,
   * and distinct names.
   *
   * @throws InvalidWorkflowException if the graph is not consistent; it names all problems
   */
  static Graph consistent(Graph graph) {
    GraphCheck check = new GraphCheck(graph);
    check.positions();
    check.fail();
    check.order();
    check.names();
    check.fail();
    return graph;
  }

  /**
   * Checks a graph as a workflow is checked when it is defined.
   *
   * @throws InvalidWorkflowException if the graph is not valid; it names all problems
   */
  static void valid(Graph graph) {
    GraphCheck check = new GraphCheck(graph);
    check.positions();
    check.fail();
    try {
      Workflow.define(graph.name(), ANY, check::rebuild);
    } catch (InvalidWorkflowException invalid) {
      throw invalid;
    } catch (IllegalArgumentException invalid) {
      throw new InvalidWorkflowException(
          graph.name(), List.of(String.valueOf(invalid.getMessage())));
    }
    consistent(graph);
  }

  private void fail() {
    if (!problems.isEmpty()) {
      throw new InvalidWorkflowException(graph.name(), problems);
    }
  }

  private void positions() {
    for (Node node : graph.steps()) {
      String step = "Step '%s'".formatted(node.name());
      node.after().forEach(position -> exists(step + " is after", position));
      input(node.work()).forEach(input -> readable(step, input));
      boolean undoes = node.part() == Part.COMPENSATION;
      if (undoes != node.compensates() >= 0) {
        problems.add(
            undoes
                ? step + " is a compensation, but undoes no step: name one."
                : step + " undoes a step, but is not a compensation: make it one.");
      } else if (undoes) {
        exists(step + " undoes", node.compensates());
      }
    }
    graph.required().forEach(position -> exists("The success policy names", position));
    if (graph.result() != null) {
      readable("The result", graph.result());
    }
  }

  private static Stream<Input> input(Work work) {
    return switch (work) {
      case Work.Task task -> Stream.of(task.payload());
      case Work.Map map -> Stream.of(map.items());
      case Work.Child child -> Stream.of(child.input());
      case Work.Sleep sleep -> Stream.empty();
      case Work.Signal signal -> Stream.empty();
    };
  }

  private void readable(String reader, Input input) {
    if (input instanceof Input.Output output) {
      exists(reader + " reads the output of", output.step());
    }
  }

  private void exists(String subject, int position) {
    if (position < 0 || position >= graph.steps().size()) {
      problems.add(
          "%s step number %d, which does not exist: there are %d."
              .formatted(subject, position, graph.steps().size()));
    }
  }

  private void order() {
    for (int at = 0; at < graph.steps().size(); at++) {
      for (int before : graph.steps().get(at).after()) {
        if (before >= at) {
          problems.add(
              "Step '%s' is after step '%s', which does not come before it in the graph: put dependencies first."
                  .formatted(name(at), name(before)));
        }
      }
    }
  }

  private void names() {
    Set<String> seen = new HashSet<>();
    for (Node node : graph.steps()) {
      if (!seen.add(node.name())) {
        problems.add(
            "Step name '%s' is used more than once: give each step another name."
                .formatted(node.name()));
      }
    }
  }

  /** Defines the same workflow again, without what is checked elsewhere. */
  private void rebuild(Flow<Object> flow) {
    for (int at = 0; at < graph.steps().size(); at++) {
      Node node = graph.steps().get(at);
      if (node.part() != Part.COMPENSATION) {
        Step<?> step = step(flow, node);
        node.after().forEach(before -> step.after(name(before)));
        step.when(node.rule()).onError(node.onError());
        Duration timeout = node.timeout();
        if (timeout != null) {
          step.within(timeout);
        }
        compensation(at, step);
        if (graph.required().contains(at)) {
          flow.mustSucceed(step);
        }
      }
    }
  }

  private void compensation(int at, Step<?> step) {
    graph.steps().stream()
        .filter(node -> node.compensates() == at)
        .map(Node::work)
        .filter(Work.Task.class::isInstance)
        .forEach(undo -> step.compensate(type(((Work.Task) undo).job().task())));
  }

  private Step<?> step(Flow<Object> flow, Node node) {
    if (node.part() == Part.FINALLY) {
      return flow.finallyStep(node.name(), type(taskOfFinally(node)));
    }
    return switch (node.work()) {
      case Work.Task task ->
          flow.step(node.name(), type(task.job().task()), source(flow, task.payload()));
      case Work.Map map ->
          flow.map(
                  node.name(),
                  type(map.job().task()),
                  new Source.Value<>(source(flow, map.items()).input(), TypeRef.listOf(ANY)))
              .concurrency(map.concurrency())
              .tolerateFailures(map.tolerated());
      // Its graph is checked by itself, so any task stands for it.
      case Work.Child child ->
          flow.step(node.name(), type(child.workflow()), source(flow, child.input()));
      case Work.Sleep sleep -> flow.sleep(node.name(), sleep.time());
      case Work.Signal signal -> {
        var step = flow.awaitSignal(node.name(), signal.signal(), ANY);
        yield signal.otherwise() == null ? step : step.orElse(signal.otherwise());
      }
    };
  }

  private static String taskOfFinally(Node node) {
    if (node.work() instanceof Work.Task task) {
      return task.job().task();
    }
    throw new IllegalArgumentException(
        "Finally step '%s' does not run a task: only tasks run finally.".formatted(node.name()));
  }

  private static TaskType<Object, Object> type(String task) {
    return TaskType.of(task, ANY, ANY);
  }

  private Source<Object> source(Flow<Object> flow, Input input) {
    return switch (input) {
      case Input.RunInput run -> flow.input();
      case Input.Context context ->
          new Source.Value<>(new Source.Input.Context(context.path()), ANY);
      case Input.Output output ->
          new Source.Value<>(new Source.Input.Output(name(output.step()), output.path()), ANY);
      case Input.Constant constant -> flow.constant(constant.value(), ANY);
      case Input.Compensated compensated -> flow.input();
    };
  }

  private String name(int step) {
    return graph.steps().get(step).name();
  }
}
