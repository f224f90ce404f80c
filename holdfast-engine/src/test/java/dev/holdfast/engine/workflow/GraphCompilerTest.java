package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GraphCompilerTest {
  private static final TaskType<String, String> TASK =
      TaskType.of("test::task", String.class, String.class);

  private static GraphCompiler compiler() {
    return new GraphCompiler(new JsonCodec());
  }

  @Test
  void stepsComeAfterTheirDependenciesThenCompensationsThenFinallySteps() {
    Workflow<String, Void> workflow =
        Workflow.define(
            "test::order",
            String.class,
            flow -> {
              flow.finallyStep("tidy", TASK);
              flow.step("c", TASK).after("a");
              Step<String> a = flow.step("a", TASK).compensate(TASK);
              flow.step("b", TASK, a).compensate(TASK);
            });
    Graph graph = compiler().compile(workflow).graph();
    assertThat(graph.steps().stream().map(Graph.Node::name))
        .containsExactly("a", "c", "b", "undo:a", "undo:b", "tidy");
    assertThat(graph.steps().get(2).after()).containsExactly(0);
    assertThat(graph.steps().get(4).compensates()).isEqualTo(2);
    assertThat(graph.steps().get(4).part()).isEqualTo(Part.COMPENSATION);
  }

  @Test
  void optionsOfAStepAreStoredAsFarAsTheyDifferFromItsTask() {
    Workflow<String, Void> workflow =
        Workflow.define(
            "test::options",
            String.class,
            flow ->
                flow.step("a", TASK)
                    .with(job -> job.queue("mail").priority(7).timeout(Duration.ofSeconds(5))));
    Work.Task task = (Work.Task) compiler().compile(workflow).graph().steps().get(0).work();
    assertThat(task.job().queue()).isEqualTo("mail");
    assertThat(task.job().priority()).isEqualTo(7);
    assertThat(task.job().policy()).isEqualTo("{\"timeout\":\"PT5S\"}");
  }

  @Test
  void constantsAndDefaultsAreEncoded() {
    Workflow<String, Void> workflow =
        Workflow.define(
            "test::constants",
            String.class,
            flow -> {
              flow.step("a", TASK, flow.constant("x", TypeRef.of(String.class)));
              flow.awaitSignal("b", "go", String.class).orElse("no").within(Duration.ofHours(1));
            });
    Graph graph = compiler().compile(workflow).graph();
    assertThat(((Work.Task) graph.steps().get(0).work()).payload())
        .isEqualTo(new Input.Constant("\"x\""));
    assertThat(graph.steps().get(1).work()).isEqualTo(new Work.Signal("go", "\"no\""));
  }

  @Test
  void childWorkflowsAreCompiledAndReferredToByHash() {
    Workflow<String, Void> child =
        Workflow.define("test::child", String.class, flow -> flow.step("a", TASK));
    Workflow<String, Void> parent =
        Workflow.define(
            "test::parent", String.class, flow -> flow.workflow("c", child, flow.input()));
    GraphCompiler.Compiled compiled = compiler().compile(parent);
    String hash = compiler().compile(child).hash();
    assertThat(compiled.definitions().keySet()).containsExactly(hash, compiled.hash());
    assertThat(((Work.Child) compiled.graph().steps().get(0).work()).hash()).isEqualTo(hash);
  }

  @Test
  void storedGraphsAreReadBackUnchanged() {
    for (long seed = 0; seed < 1_000; seed++) {
      Graph graph = RandomGraph.of(seed, seed % 2 == 0, "0".repeat(64));
      Definitions.Definition stored = GraphJson.definition(graph);
      Graph read = GraphJson.read(stored);
      assertThat(read).isEqualTo(graph);
      assertThat(GraphJson.definition(read)).isEqualTo(stored);
    }
  }

  @Test
  void equalWorkflowsHaveTheSameHashAndOthersDoNot() {
    assertThat(hash("a")).isEqualTo(hash("a")).isNotEqualTo(hash("b"));
  }

  private static String hash(String step) {
    return compiler()
        .compile(Workflow.define("test::hash", String.class, flow -> flow.step(step, TASK)))
        .hash();
  }

  @Test
  void graphsOfANewerVersionAreRefusedByName() {
    String body = GraphJson.write(new GraphSketch().task("a").graph());
    assertThatThrownBy(() -> GraphJson.read(body.replace("allSucceeded", "mostSucceeded")))
        .hasMessageContaining("rule of kind 'mostSucceeded'");
    assertThatThrownBy(() -> GraphJson.read(body.replace("\"kind\":\"task\"", "\"kind\":\"vote\"")))
        .hasMessageContaining("step of kind 'vote'");
    assertThatThrownBy(
            () -> GraphJson.read(body.replace("\"kind\":\"context\"", "\"kind\":\"stars\"")))
        .hasMessageContaining("source of kind 'stars'");
    assertThatThrownBy(() -> GraphJson.read(new Definitions.Definition("h", "test::a", 2, body)))
        .hasMessageContaining("format 2");
  }

  @Test
  void aMoveMatchesStepsByName() {
    Graph from = new GraphSketch().task("a").task("b", "a").task("old", "b").graph();
    Graph to = new GraphSketch().task("new").task("a").task("b", "new", "a").graph();
    MovePlan plan = MovePlan.of(from, to, "SA.", RunPhase.MAIN, null);
    assertThat(plan.refusals()).isEmpty();
    assertThat(plan.letters()).isEqualTo(".SA");
    assertThat(plan.positions()).isEqualTo(Map.of(1, 0, 2, 1));
    assertThat(plan.differences())
        .containsExactly(
            "+ step 'new' is new",
            "~ step 'b' differs; it has started: its payload stays, and jobs that no node holds run"
                + " as the new graph says",
            "- step 'old' is gone");
  }

  @Test
  void aMoveSkipsNewStepsOfAPartThatIsOver() {
    Graph from = new GraphSketch().task("a").graph();
    Graph to = new GraphSketch().task("new").task("a").graph();
    assertThat(MovePlan.of(from, to, "S", RunPhase.STOPPING, null).letters()).isEqualTo(".S");
    MovePlan late = MovePlan.of(from, to, "S", RunPhase.FINALLY, null);
    assertThat(late.letters()).isEqualTo("KS");
    assertThat(late.differences())
        .containsExactly("+ step 'new' is new; it is skipped, since its part is over");
  }

  @Test
  void aMoveIsRefusedIfAStartedStepIsGoneOrOfAnotherKind() {
    Graph from = new GraphSketch().task("a").task("b").graph();
    Graph to = new GraphSketch().sleep("b").graph();
    assertThat(MovePlan.of(from, to, "..", RunPhase.MAIN, null).refusals()).isEmpty();
    assertThat(MovePlan.of(from, to, "SF", RunPhase.MAIN, null).refusals())
        .isEqualTo(
            List.of(
                "step 'b' has started as a task, but is a sleep in the new graph",
                "step 'a' has started, but is not in the new graph"));
  }
}
