package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import io.micrometer.core.instrument.Counter;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How large the outputs of steps and of runs may be. */
public abstract class WorkflowSizeContract extends WorkflowNodeBase {
  private static final int MEGABYTE = 1 << 20;

  private static final TaskType<Integer, String> WRITE =
      TaskType.of("size::write", Integer.class, String.class);
  private static final TaskType<String, String> READ =
      TaskType.of("size::read", String.class, String.class);

  private static final Workflow<Integer, Void> FLOW =
      Workflow.define(
          "size::flow",
          Integer.class,
          flow -> {
            Step<String> text = flow.step("write", WRITE, flow.input());
            flow.step("read", READ, text);
          });

  /** Returns a text whose encoding has this number of bytes: JSON adds two quotes. */
  private static String encodedAs(int bytes) {
    return "x".repeat(bytes - 2);
  }

  private double counted(String meter) {
    return meters.find(meter).counters().stream().mapToDouble(Counter::count).sum();
  }

  @Test
  void anOutputThatIsTooLargeFailsItsStepAndLeavesNothing() {
    start(
        node()
            .resultLimit(100)
            .handle(WRITE, (bytes, context) -> encodedAs(bytes))
            .handle(READ, (text, context) -> "read"));

    RunId id = client().runs().start(FLOW, 101).id();

    Run run = await(id, RunState.FAILED);
    RunStep write = step(run, "write");
    assertThat(write.failure().orElseThrow())
        .startsWith(FailureCode.OUTPUT_TOO_LARGE)
        .contains("step 'write' of run " + id, "101 bytes", "at most 100");
    assertThat(write.attempts()).isEqualTo(1);
    assertThat(write.output()).isEmpty();
    assertThat(run.bytes()).isZero();
    assertThat(run.reason().orElseThrow()).contains(FailureCode.OUTPUT_TOO_LARGE);
    assertThat(counted("holdfast.outputs.large")).isZero();
    assertThat(await(client().runs().start(FLOW, 100).id(), RunState.SUCCEEDED).bytes())
        .isEqualTo(100 + "\"read\"".length());
  }

  @Test
  void aDurableStepWhoseResultIsTooLargeFailsItsStepAndIsNotJournalled() {
    start(
        node()
            .handle(
                WRITE,
                (bytes, context) ->
                    context.steps().run("big", String.class, () -> encodedAs(bytes)))
            .handle(READ, (text, context) -> "read"));

    RunId id = client().runs().start(FLOW, MEGABYTE + 1).id();

    RunStep write = step(await(id, RunState.FAILED), "write");
    assertThat(write.failure().orElseThrow())
        .startsWith(FailureCode.OUTPUT_TOO_LARGE)
        .contains("step 'big'", "step 'write' of run " + id, String.valueOf(MEGABYTE + 1))
        .contains("at most " + MEGABYTE);
    assertThat(store().journals().load(write.job().orElseThrow())).isEmpty();
  }

  @Test
  void outputsFromHalfOfTheLimitOnAreCounted() {
    start(
        node()
            .resultLimit(101)
            .handle(WRITE, (bytes, context) -> encodedAs(bytes))
            .handle(READ, (text, context) -> "read"));

    await(client().runs().start(FLOW, 50).id(), RunState.SUCCEEDED);
    assertThat(counted("holdfast.outputs.large")).isZero();
    await(client().runs().start(FLOW, 51).id(), RunState.SUCCEEDED);
    await(client().runs().start(FLOW, 101).id(), RunState.SUCCEEDED);
    assertThat(counted("holdfast.outputs.large")).isEqualTo(2);
  }

  @Test
  void resultsOfDurableStepsFromHalfOfTheLimitOnAreCounted() {
    start(
        node()
            .handle(
                WRITE,
                (bytes, context) -> {
                  context.steps().run("big", String.class, () -> encodedAs(bytes));
                  return "written";
                })
            .handle(READ, (text, context) -> "read"));

    await(client().runs().start(FLOW, MEGABYTE / 2 - 1).id(), RunState.SUCCEEDED);
    assertThat(counted("holdfast.outputs.large")).isZero();
    await(client().runs().start(FLOW, MEGABYTE / 2).id(), RunState.SUCCEEDED);
    assertThat(counted("holdfast.outputs.large")).isEqualTo(1);
  }

  @Test
  void anInputThatManyStepsReadIsStoredOnce() {
    int steps = 40;
    String input = encodedAs(100_000);
    Workflow<String, Void> wide =
        Workflow.define(
            "size::wide",
            String.class,
            flow -> {
              for (int i = 0; i < steps; i++) {
                flow.step("read-" + i, READ, flow.input());
              }
            });
    start(node().handle(READ, (text, context) -> text.equals(input) ? "ok" : "wrong"));

    Run run = await(client().runs().start(wide, input).id(), RunState.SUCCEEDED);

    assertThat(run.steps()).allSatisfy(step -> assertThat(step.output()).contains("\"ok\""));
    assertThat(step(run, "read-7").input().orElseThrow()).hasSize(100_000);
    assertThat(run.bytes()).isEqualTo(100_000 + steps * "\"ok\"".length());
  }

  @Test
  void runsFromHalfOfTheLimitOnAreCountedOnce() {
    Workflow<List<Integer>, Void> map =
        Workflow.define(
            "size::map",
            new TypeRef<List<Integer>>() {},
            flow -> {
              Step<List<String>> texts = flow.map("write", WRITE, flow.input());
              flow.step("first", READ, flow.constant("x", TypeRef.of(String.class))).after(texts);
              flow.step("last", READ, flow.constant("x", TypeRef.of(String.class))).after("first");
            });
    start(
        node()
            .handle(WRITE, (bytes, context) -> encodedAs(bytes))
            .handle(READ, (text, context) -> "read"));

    await(client().runs().start(map, Collections.nCopies(31, MEGABYTE)).id(), RunState.SUCCEEDED);
    assertThat(counted("holdfast.runs.large")).isZero();
    Run large =
        await(
            client().runs().start(map, Collections.nCopies(32, MEGABYTE)).id(), RunState.SUCCEEDED);
    assertThat(large.bytes()).isGreaterThanOrEqualTo(32L * MEGABYTE);
    assertThat(counted("holdfast.runs.large")).isEqualTo(1);
  }

  @Test
  void aMapWhoseOutputsAreTooLargeTogetherFailsAndSucceedsWhenTheyAreSmaller() {
    Workflow<List<Integer>, List<String>> map =
        Workflow.defineWithResult(
            "size::too-large",
            new TypeRef<List<Integer>>() {},
            flow -> flow.map("write", WRITE, flow.input()).concurrency(1));
    AtomicInteger size = new AtomicInteger(17 * MEGABYTE);
    start(
        node()
            .resultLimit(17 * MEGABYTE)
            .handle(WRITE, (number, context) -> encodedAs(size.get())));

    RunId id = client().runs().start(map, List.of(1, 2, 3, 4, 5, 6)).id();

    Run failed = await(id, RunState.FAILED);
    assertThat(step(failed, "write").failure().orElseThrow())
        .startsWith("RUN_TOO_LARGE")
        .contains("step 'write'", String.valueOf(4 * 17L * MEGABYTE));
    assertThat(step(failed, "write").map()).hasValue(new RunStep.MapProgress(6, 4, 0, 0));

    size.set(100);
    client().runs().retry(id);
    assertThat(await(id, RunState.SUCCEEDED).bytes()).isEqualTo(600);
  }

  @Test
  void aStepThatWasTooLargeSucceedsWhenItsOutputIsSmaller() {
    Workflow<Integer, Void> flow =
        Workflow.define(
            "size::repaired",
            Integer.class,
            f -> {
              Step<String> first = f.step("first", WRITE, f.input());
              f.step("second", WRITE, f.input()).after(first);
            });
    AtomicBoolean repaired = new AtomicBoolean();
    start(
        node()
            .resultLimit(40 * MEGABYTE)
            .handle(WRITE, (bytes, context) -> encodedAs(repaired.get() ? 100 : bytes)));
    RunId id = client().runs().start(flow, 40 * MEGABYTE).id();
    assertThat(step(await(id, RunState.FAILED), "second").failure().orElseThrow())
        .startsWith("RUN_TOO_LARGE");

    repaired.set(true);
    client().runs().retry(id);

    assertThat(await(id, RunState.SUCCEEDED).bytes()).isEqualTo(40L * MEGABYTE + 100);
  }
}
