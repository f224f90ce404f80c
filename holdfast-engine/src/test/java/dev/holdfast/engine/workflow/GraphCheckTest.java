package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.InvalidWorkflowException;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.JobTemplate;
import dev.holdfast.engine.workflow.Graph.Node;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Graphs that did not come from a checked definition. */
class GraphCheckTest {
  private static final TaskType<Object, Object> TASK =
      TaskType.of("test::task", Object.class, Object.class);

  private static Node step(String name, Input payload, Rule rule, Integer... after) {
    JobTemplate job = new JobTemplate("test::task", "default", 4, Set.of(), null, null);
    return new Node(
        name,
        Part.MAIN,
        new Work.Task(job, payload),
        List.of(after),
        rule,
        OnError.FAIL,
        false,
        null,
        null,
        -1);
  }

  private static Node step(String name, Integer... after) {
    return step(name, new Input.Context(null), Rule.allSucceeded(), after);
  }

  private static Graph graph(Node... steps) {
    return new Graph("test::data", null, List.of(steps), null, null, Set.of(), null);
  }

  private static List<String> problemsOf(Graph graph) {
    try {
      GraphCheck.valid(graph);
      return List.of();
    } catch (InvalidWorkflowException invalid) {
      assertThat(invalid.workflow()).isEqualTo("test::data");
      return invalid.problems();
    }
  }

  @Test
  void aCycleInDataIsReportedAsAPath() {
    assertThat(problemsOf(graph(step("a", 2), step("b", 0), step("c", 1))))
        .containsExactly(
            "Step 'a' waits for itself: a → b → c → a; remove one of these dependencies.");
  }

  @Test
  void positionsThatDoNotExistAreAllReported() {
    assertThat(
            problemsOf(
                graph(step("a", new Input.Output(7, null), Rule.allSucceeded()), step("b", 0, 9))))
        .containsExactly(
            "Step 'a' reads the output of step number 7, which does not exist: there are 2.",
            "Step 'b' is after step number 9, which does not exist: there are 2.");
  }

  @Test
  void whatADefinitionMustNotContainIsNotAcceptedFromDataEither() {
    Node impossible = step("c", new Input.Context(null), new Rule.Quorum(3), 0);
    assertThat(problemsOf(graph(step("a"), step("a"), impossible)))
        .hasSize(2)
        .anyMatch(problem -> problem.contains("Step name 'a' is used by 2 steps"))
        .anyMatch(problem -> problem.contains("Step 'c' can never run"));
  }

  @Test
  void dependenciesComeBeforeTheirDependents() {
    assertThat(problemsOf(graph(step("late", 1), step("early"))))
        .containsExactly(
            "Step 'late' is after step 'early', which does not come before it in the graph: put"
                + " dependencies first.");
  }

  @Test
  void aStoredGraphThatIsNotConsistentIsNotLearned() {
    GraphPlanner planner = new GraphPlanner(java.util.UUID::randomUUID);
    Graph cycle = graph(step("a", 1), step("b", 0));
    var stored = new dev.holdfast.engine.store.Definitions.Stored(1, GraphJson.definition(cycle));

    assertThatThrownBy(() -> planner.learn(stored)).isInstanceOf(InvalidWorkflowException.class);
    assertThat(planner.knows(1)).isFalse();
    assertThatThrownBy(() -> GraphJson.read(new Definition("h", "test::data", 1, "{}")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'test::data' (h) is stored, but cannot be read");
  }

  @Test
  void aStoredGraphWhoseRuleCannotHoldCanStillBeRead() {
    Graph old = graph(step("a"), step("c", new Input.Context(null), new Rule.Quorum(3), 0));
    assertThat(GraphJson.read(GraphJson.definition(old))).isEqualTo(old);
  }

  @Test
  void everyKindOfStepThatCanBeDefinedIsValid() {
    Workflow<Object, Void> child =
        Workflow.define("test::child", Object.class, flow -> flow.step("a", TASK));
    Workflow<Object, Object> workflow =
        Workflow.defineWithResult(
            "test::all",
            Object.class,
            flow -> {
              var list = flow.context("list", new TypeRef<List<Object>>() {});
              var map = flow.map("map", TASK, list).concurrency(3).tolerateFailures(2);
              var run = flow.workflow("child", child, flow.input());
              var sleep = flow.sleep("sleep", Duration.ofHours(1)).after(map);
              var signal =
                  flow.awaitSignal("signal", "go", Object.class)
                      .orElse("no")
                      .within(Duration.ofDays(1))
                      .after(sleep, run);
              var task =
                  flow.step("task", TASK, flow.constant(7, TypeRef.of(Object.class)))
                      .after(signal)
                      .when(Rule.any(Rule.succeeded(signal), Rule.failed(signal)))
                      .compensate(TASK);
              flow.step("eager", TASK, task).eager().onError(OnError.CONTINUE);
              flow.finallyStep("last", TASK);
              flow.mustSucceed(task);
              return task;
            });
    assertThatCode(() -> GraphCheck.valid(Graph.of(workflow, new JsonCodec())))
        .doesNotThrowAnyException();
  }
}
