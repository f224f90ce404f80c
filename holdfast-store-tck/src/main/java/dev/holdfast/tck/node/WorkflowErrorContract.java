package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Page;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is not possible is refused with an error that names the run and the step. */
public abstract class WorkflowErrorContract extends WorkflowNodeBase {
  private static final TaskType<Integer, Integer> ADD =
      TaskType.of("error::add", Integer.class, Integer.class);
  private static final Workflow<Integer, Void> PLAIN =
      Workflow.define("error::plain", Integer.class, flow -> flow.step("add", ADD, flow.input()));

  private void assertRefused(RunId id, RunState state, ThrowingCallable call) {
    List<RunEvent> before = client().runs().events(id, Page.first(100));
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RunStateException.class,
            refused -> {
              assertThat(refused.run()).isEqualTo(id);
              assertThat(refused.state()).isEqualTo(state);
            })
        .hasMessageContaining(id.toString())
        .hasMessageContaining(state.name());
    assertThat(read(id).state()).isEqualTo(state);
    assertThat(client().runs().events(id, Page.first(100))).isEqualTo(before);
  }

  @Test
  void aRunThatHasEndedTakesNoSignal() {
    start(node().handle(ADD, (number, context) -> number + 1));
    RunId id = client().runs().start(PLAIN, 1).id();
    await(id, RunState.SUCCEEDED);

    assertRefused(id, RunState.SUCCEEDED, () -> client().runs().signal(id, "go", null));
    assertRefused(id, RunState.SUCCEEDED, () -> client().runs().pause(id));
    assertRefused(id, RunState.SUCCEEDED, () -> client().runs().cancel(id, "too late"));
    assertRefused(id, RunState.SUCCEEDED, () -> client().runs().retry(id));
    assertRefused(id, RunState.SUCCEEDED, () -> client().runs().resume(id));
  }

  @Test
  void onlyAPausedRunIsResumed() {
    RunId id = client().runs().start(PLAIN, 1).id();

    assertRefused(id, RunState.RUNNING, () -> client().runs().resume(id));
    client().runs().pause(id);
    client().runs().resume(id);
    assertRefused(id, RunState.RUNNING, () -> client().runs().resume(id));
  }

  @Test
  void aRunThatDoesNotExistIsNamed() {
    RunId id = new RunId(new UUID(1, 2));

    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> client().runs().signal(id, "go", null),
            () -> client().runs().resume(id),
            () -> client().runs().items(id, "add"))) {
      assertThatThrownBy(call)
          .isInstanceOf(UnknownRunException.class)
          .hasMessageContaining(id.toString());
    }
  }

  @Test
  void aMapOverSomethingElseThanAListFailsItsStep() {
    Workflow<Map<String, Integer>, Void> map =
        Workflow.define(
            "error::map",
            new TypeRef<Map<String, Integer>>() {},
            flow ->
                flow.map("each", ADD, flow.context("numbers", new TypeRef<List<Integer>>() {})));
    start(node().handle(ADD, (number, context) -> number + 1));

    RunId id = client().runs().start(map, Map.of("numbers", 7)).id();
    Run run = await(id, RunState.FAILED);

    assertThat(step(run, "each").state()).isEqualTo(StepState.FAILED);
    assertThat(step(run, "each").failure().orElseThrow())
        .startsWith("NOT_A_LIST")
        .contains("Step 'each' of run " + id, "NUMBER");
    assertThat(run.reason().orElseThrow()).contains("NOT_A_LIST");
    assertThat(step(run, "each").map()).isEmpty();
    assertThat(client().runs().items(id, "each")).isEmpty();
  }
}
