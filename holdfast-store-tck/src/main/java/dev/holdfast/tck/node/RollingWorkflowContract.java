package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deployments while runs are open: every run keeps its own graph, and none is stranded. */
public abstract class RollingWorkflowContract extends RunTestBase {
  private static final TaskType<Note, Note> WEIGH =
      TaskType.of("runs::weigh", Note.class, Note.class);

  /** What the old nodes know. */
  private static final Workflow<Note, Note> OLD =
      Workflow.defineWithResult(
          "test::deployed",
          Note.class,
          flow -> {
            Step<Note> pack = flow.step("pack", SAY, flow.input());
            Step<Note> wait = flow.awaitSignal("wait", "go", Note.class).after(pack);
            Step<Note> label = flow.step("label-by-hand", SAY, pack).after(wait);
            return flow.step("ship", SAY, label);
          });

  /** The same workflow in the new version: with a new task, and without a step of the old one. */
  private static final Workflow<Note, Note> NEW =
      Workflow.defineWithResult(
          "test::deployed",
          Note.class,
          flow -> {
            Step<Note> pack = flow.step("pack", SAY, flow.input());
            Step<Note> wait = flow.awaitSignal("wait", "go", Note.class).after(pack);
            Step<Note> weigh = flow.step("weigh", WEIGH, pack).after(wait);
            return flow.step("ship", SAY, weigh);
          });

  private NodeBuilder oldNode() {
    return worker().id("old").workflow(OLD);
  }

  private NodeBuilder newNode() {
    return worker()
        .id("new")
        .workflow(NEW)
        .handle(
            WEIGH,
            (note, context) -> {
              log.add("weigh " + note.text());
              return new Note(note.text() + "1kg");
            });
  }

  private List<RunId> startAll(Workflow<Note, Note> workflow, int count) {
    List<RunId> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(client().runs().start(workflow, new Note("x")).id());
    }
    ids.forEach(id -> awaitStep(id, "wait", StepState.WAITING));
    return ids;
  }

  private void go(List<RunId> runs) {
    runs.forEach(run -> client().runs().signal(run, "go", null));
  }

  private void assertEnded(List<RunId> runs, String result, String... steps) throws Exception {
    for (RunId id : runs) {
      assertThat(client().runs().await(id, TypeRef.of(Note.class), SOON))
          .isEqualTo(new Note(result));
      assertThat(run(id).steps()).extracting(RunStep::name).containsExactly(steps);
    }
  }

  @Test
  void aRollingDeployStrandsNoRun() throws Exception {
    HoldfastNode old = start(oldNode());
    List<RunId> oldRuns = startAll(OLD, 4);

    start(newNode());
    List<RunId> newRuns = startAll(NEW, 4);
    List<RunId> lateOldRuns = startAll(OLD, 2);
    go(oldRuns.subList(0, 2));
    go(newRuns.subList(0, 2));
    String[] oldSteps = {"pack", "wait", "label-by-hand", "ship"};
    String[] newSteps = {"pack", "wait", "weigh", "ship"};
    assertEnded(oldRuns.subList(0, 2), "x!!!", oldSteps);
    assertEnded(newRuns.subList(0, 2), "x!1kg!", newSteps);
    old.close();
    go(oldRuns.subList(2, 4));
    go(newRuns.subList(2, 4));
    go(lateOldRuns);

    assertEnded(oldRuns.subList(2, 4), "x!!!", oldSteps);
    assertEnded(newRuns.subList(2, 4), "x!1kg!", newSteps);
    assertEnded(lateOldRuns, "x!!!", oldSteps);
    assertThat(run(oldRuns.get(0)).definition())
        .isEqualTo(run(lateOldRuns.get(0)).definition())
        .isNotEqualTo(run(newRuns.get(0)).definition());
    assertThat(client().runs().recoverStuck()).isEmpty();
  }

  @Test
  void oldNodesAdvanceNewRunsUpToTheTaskThatTheyDoNotKnow() throws Exception {
    start(oldNode());
    List<RunId> runs = startAll(NEW, 1);
    go(runs);

    Run waiting = awaitStep(runs.get(0), "weigh", StepState.ACTIVE);

    assertThat(client().whyWaiting(step(waiting, "weigh").job().orElseThrow()))
        .hasValueSatisfying(why -> assertThat(why).isInstanceOf(WaitReason.TaskNotServed.class));
    start(newNode());
    assertEnded(runs, "x!1kg!", "pack", "wait", "weigh", "ship");
    assertThat(log).containsExactly("x", "weigh x!", "x!1kg");
  }

  @Test
  void runsThatWereOpenWhileNoNodeWasAliveContinue() throws Exception {
    HoldfastNode old = start(oldNode());
    List<RunId> runs = startAll(OLD, 2);
    old.close();
    go(runs);
    RunId fresh = client().runs().start(NEW, new Note("y")).id();

    start(newNode());

    assertEnded(runs, "x!!!", "pack", "wait", "label-by-hand", "ship");
    awaitStep(fresh, "wait", StepState.WAITING);
    client().runs().signal(fresh, "go", null);
    await().atMost(SOON).until(() -> run(fresh).state() == RunState.SUCCEEDED);
  }
}
