package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.JobTemplate;
import dev.holdfast.engine.workflow.Graph.Node;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Builds graphs for tests, step by step, with short calls. */
final class GraphSketch {
  private final List<Node> main = new ArrayList<>();
  private final List<Integer> undone = new ArrayList<>();
  private final List<Node> last = new ArrayList<>();
  private final Set<Integer> required = new HashSet<>();
  private @Nullable Input result;
  private @Nullable Duration deadline;

  static JobTemplate job(String task) {
    return new JobTemplate(task, "default", 4, Set.of(), null, null);
  }

  /** Adds a task with the context as its payload. */
  GraphSketch task(String name, String... after) {
    return add(name, new Work.Task(job(name), new Input.Context(null)), after);
  }

  /** Adds a map over the output of its first dependency. */
  GraphSketch map(String name, int concurrency, int tolerated, String... after) {
    Input items = new Input.Output(position(after[0]), null);
    return add(name, new Work.Map(job(name), items, concurrency, tolerated, null), after);
  }

  /** Adds a map over a constant list. */
  GraphSketch mapOver(String name, String list, int concurrency, int tolerated, String... after) {
    Input items = new Input.Constant(list);
    return add(name, new Work.Map(job(name), items, concurrency, tolerated, null), after);
  }

  GraphSketch sleep(String name, String... after) {
    return add(name, new Work.Sleep(Duration.ofMinutes(1)), after);
  }

  GraphSketch signal(String name, String signal, @Nullable String otherwise, String... after) {
    return add(name, new Work.Signal(signal, otherwise), after);
  }

  GraphSketch add(String name, Work work, String... after) {
    List<Integer> positions = Arrays.stream(after).map(this::position).toList();
    main.add(
        new Node(
            name,
            Part.MAIN,
            work,
            positions,
            Rule.allSucceeded(),
            OnError.FAIL,
            false,
            null,
            null,
            -1));
    return this;
  }

  /** Adds a finally step after other finally steps. */
  GraphSketch lastly(String name, Rule rule, OnError onError, Integer... after) {
    last.add(
        new Node(
            name,
            Part.FINALLY,
            new Work.Task(job(name), new Input.Context(null)),
            Arrays.asList(after),
            rule,
            onError,
            false,
            null,
            null,
            -1));
    return this;
  }

  GraphSketch lastly(String name) {
    return lastly(name, Rule.allSucceeded(), OnError.FAIL);
  }

  private GraphSketch change(UnaryOperator<Node> changed) {
    main.set(main.size() - 1, changed.apply(main.get(main.size() - 1)));
    return this;
  }

  GraphSketch when(Rule rule) {
    return change(n -> node(n, n.work(), rule, n.onError(), n.eager(), n.timeout()));
  }

  GraphSketch onError(OnError reaction) {
    return change(n -> node(n, n.work(), n.rule(), reaction, n.eager(), n.timeout()));
  }

  GraphSketch eager() {
    return change(n -> node(n, n.work(), n.rule(), n.onError(), true, n.timeout()));
  }

  GraphSketch within(Duration timeout) {
    return change(n -> node(n, n.work(), n.rule(), n.onError(), n.eager(), timeout));
  }

  GraphSketch payload(Input payload) {
    return change(n ->
        node(
            n,
            new Work.Task(job(n.name()), payload),
            n.rule(),
            n.onError(),
            n.eager(),
            n.timeout()));
  }

  private static Node node(
      Node node, Work work, Rule rule, OnError onError, boolean eager, @Nullable Duration timeout) {
    return new Node(
        node.name(),
        node.part(),
        work,
        node.after(),
        rule,
        onError,
        eager,
        timeout,
        node.label(),
        node.compensates());
  }

  GraphSketch compensated() {
    undone.add(main.size() - 1);
    return this;
  }

  GraphSketch mustSucceed(String name) {
    required.add(position(name));
    return this;
  }

  GraphSketch result(Input source) {
    result = source;
    return this;
  }

  GraphSketch deadline(Duration longest) {
    deadline = longest;
    return this;
  }

  int position(String name) {
    for (int i = 0; i < main.size(); i++) {
      if (main.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("No step " + name);
  }

  /** Returns the graph. The dependencies of finally steps are shifted to their final positions. */
  Graph graph() {
    List<Node> all = new ArrayList<>(main);
    for (int step : undone) {
      String name = "undo:" + main.get(step).name();
      all.add(
          new Node(
              name,
              Part.COMPENSATION,
              new Work.Task(job("undo"), new Input.Compensated()),
              List.of(),
              Rule.allSucceeded(),
              OnError.CONTINUE,
              false,
              null,
              null,
              step));
    }
    int first = all.size();
    for (Node node : last) {
      all.add(
          new Node(
              node.name(),
              node.part(),
              node.work(),
              node.after().stream().map(position -> first + position).toList(),
              node.rule(),
              node.onError(),
              false,
              null,
              null,
              -1));
    }
    return new Graph("test::flow", null, all, result, deadline, required, null);
  }
}
