package dev.holdfast.engine.workflow;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.InvalidWorkflowException;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Source;
import dev.holdfast.api.workflow.StepDefinition;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.JobTemplate;
import dev.holdfast.engine.workflow.Graph.Node;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Translates workflows into the graphs that are stored. */
final class GraphCompiler {
  /** Names of steps contain no colon, so a compensation never has the name of a step. */
  private static final String COMPENSATION = "undo:";

  private final PayloadCodec codec;

  GraphCompiler(PayloadCodec codec) {
    this.codec = codec;
  }

  /**
   * The graphs of a workflow and of all workflows that it starts.
   *
   * @param definitions the graphs by hash, those of children before those that start them
   */
  record Compiled(Graph graph, String hash, Map<String, Definitions.Definition> definitions) {}

  /** Translates a workflow and the workflows that it starts. */
  Compiled compile(Workflow<?, ?> workflow) {
    Map<String, Definitions.Definition> definitions = new LinkedHashMap<>();
    Graph graph = compile(workflow, definitions);
    Definitions.Definition definition = GraphJson.definition(graph);
    definitions.put(definition.hash(), definition);
    return new Compiled(graph, definition.hash(), definitions);
  }

  private Graph compile(Workflow<?, ?> workflow, Map<String, Definitions.Definition> definitions) {
    List<StepDefinition> main = inOrder(workflow, false);
    List<StepDefinition> last = inOrder(workflow, true);
    List<StepDefinition> undoable =
        main.stream().filter(step -> step.compensation() != null).toList();
    Map<String, Integer> positions = new HashMap<>();
    main.forEach(step -> positions.put(step.name(), positions.size()));
    int firstLast = main.size() + undoable.size();
    for (int i = 0; i < last.size(); i++) {
      positions.put(last.get(i).name(), firstLast + i);
    }
    List<Node> nodes = new ArrayList<>();
    main.forEach(step -> nodes.add(node(step, Part.MAIN, positions, definitions)));
    undoable.forEach(step -> nodes.add(compensation(step, positions)));
    last.forEach(step -> nodes.add(node(step, Part.FINALLY, positions, definitions)));
    Set<Integer> required = new TreeSet<>();
    workflow.required().forEach(name -> required.add(position(positions, name)));
    return new Graph(
        workflow.name(),
        workflow.label().orElse(null),
        nodes,
        workflow.result().map(input -> input(input, positions)).orElse(null),
        workflow.deadline().orElse(null),
        required,
        workflow.maxActive().orElse(null));
  }

  /**
   * Returns the steps of a part, dependencies first, otherwise as they were added.
   *
   * @throws IllegalArgumentException if the dependencies form a cycle, or two steps have one name
   */
  private static List<StepDefinition> inOrder(Workflow<?, ?> workflow, boolean isFinally) {
    List<StepDefinition> left =
        new ArrayList<>(
            workflow.steps().stream().filter(step -> step.isFinally() == isFinally).toList());
    Map<String, StepDefinition> open = new LinkedHashMap<>();
    for (StepDefinition step : left) {
      if (open.put(step.name(), step) != null) {
        throw new InvalidWorkflowException(
            workflow.name(),
            List.of(
                "Step name '%s' is used more than once: give each step another name."
                    .formatted(step.name())));
      }
    }
    List<StepDefinition> ordered = new ArrayList<>(left.size());
    while (!open.isEmpty()) {
      StepDefinition next =
          open.values().stream()
              .filter(step -> step.after().stream().noneMatch(open::containsKey))
              .findFirst()
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "The steps %s of workflow '%s' depend on each other: remove one of the dependencies."
                          .formatted(open.keySet(), workflow.name())));
      open.remove(next.name());
      ordered.add(next);
    }
    return ordered;
  }

  private Node node(
      StepDefinition step,
      Part part,
      Map<String, Integer> positions,
      Map<String, Definitions.Definition> definitions) {
    return new Node(
        step.name(),
        part,
        work(step, positions, definitions),
        step.after().stream().map(name -> position(positions, name)).toList(),
        step.rule(),
        step.onError(),
        step.eager(),
        step.timeout(),
        step.label(),
        -1);
  }

  private static Node compensation(StepDefinition step, Map<String, Integer> positions) {
    TaskType<?, ?> task = step.compensation();
    if (task == null) {
      throw new IllegalArgumentException("Step '%s' has no compensation".formatted(step.name()));
    }
    return new Node(
        COMPENSATION + step.name(),
        Part.COMPENSATION,
        new Work.Task(template(task, task.defaults()), new Input.Compensated()),
        List.of(),
        Rule.allSucceeded(),
        OnError.CONTINUE,
        false,
        null,
        null,
        position(positions, step.name()));
  }

  private Work work(
      StepDefinition step,
      Map<String, Integer> positions,
      Map<String, Definitions.Definition> definitions) {
    return switch (step.work()) {
      case StepDefinition.Work.RunTask run ->
          new Work.Task(template(run.task(), step.options()), input(run.payload(), positions));
      case StepDefinition.Work.MapTask map ->
          new Work.Map(
              template(map.task(), step.options()),
              input(map.items(), positions),
              map.concurrency(),
              map.tolerated(),
              map.itemLabel());
      case StepDefinition.Work.RunWorkflow child -> {
        Compiled compiled = compile(child.workflow());
        definitions.putAll(compiled.definitions());
        yield new Work.Child(
            child.workflow().name(), compiled.hash(), input(child.childInput(), positions));
      }
      case StepDefinition.Work.Sleep sleep -> new Work.Sleep(sleep.time());
      case StepDefinition.Work.AwaitSignal signal ->
          new Work.Signal(signal.signal(), encoded(signal.otherwise()));
    };
  }

  private static JobTemplate template(TaskType<?, ?> task, JobOptions options) {
    return new JobTemplate(
        task.name(),
        options.queue(),
        options.priority(),
        options.tags(),
        JobPolicyJson.write(JobPolicy.difference(options, task.defaults())),
        options.startWithin());
  }

  private Input input(Source.Input input, Map<String, Integer> positions) {
    return switch (input) {
      case Source.Input.RunInput run -> new Input.RunInput();
      case Source.Input.Context context -> new Input.Context(context.path());
      case Source.Input.Output output ->
          new Input.Output(position(positions, output.step()), output.path());
      case Source.Input.Constant constant ->
          new Input.Constant(Encoding.storable(codec.encode(constant.value())));
    };
  }

  private @Nullable String encoded(@Nullable Object value) {
    return value == null ? null : Encoding.storable(codec.encode(value));
  }

  private static int position(Map<String, Integer> positions, String name) {
    Integer position = positions.get(name);
    if (position == null) {
      throw new IllegalArgumentException(
          "Step '%s' does not exist: name a step of the workflow.".formatted(name));
    }
    return position;
  }
}
