package dev.holdfast.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Flow;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.workflow.Graph;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Drawings of workflows as text and as Mermaid. */
class TextGraphTest {
  private static final TaskType<Object, Object> TASK =
      TaskType.of("t::x", Object.class, Object.class);

  private static Picture picture(Consumer<Flow<Object>> steps) {
    return Picture.of(Graph.of(Workflow.define("t::flow", Object.class, steps), new JsonCodec()));
  }

  private static String text(Consumer<Flow<Object>> steps) {
    return String.join("\n", TextGraph.lines(picture(steps), false)) + "\n";
  }

  @Test
  void branchesJoin() {
    assertThat(
            text(flow -> {
              flow.step("charge", TASK);
              flow.step("pack", TASK).after("charge");
              flow.step("label", TASK).after("charge");
              flow.step("ship", TASK).after("pack", "label");
            }))
        .isEqualTo(
            """
            t::flow
             ●    charge  task t::x
             ├─●  pack    task t::x
             ● │  label   task t::x
             ●─╯  ship    task t::x
            """);
  }

  @Test
  void independentStepsAreNeverBelowEachOther() {
    assertThat(
            text(flow -> {
              flow.step("a", TASK);
              flow.step("b", TASK);
              flow.step("c", TASK);
            }))
        .isEqualTo(
            """
            t::flow
             ●    a  task t::x
               ●  b  task t::x
             ●    c  task t::x
            """);
  }

  @Test
  void aLineThatCrossesALaneInterruptsIt() {
    assertThat(
            text(flow -> {
              flow.step("a", TASK);
              flow.step("b", TASK);
              flow.step("c", TASK).after("a");
              flow.step("d", TASK).after("a", "c");
              flow.step("e", TASK).after("b", "d");
            }))
        .isEqualTo(
            """
            t::flow
             ●      a  task t::x
             │ ●    b  task t::x
             ├─│─●  c  task t::x
             ●─│─╯  d  task t::x
             ●─╯    e  task t::x
            """);
  }

  @Test
  void everyKindOfStepIsDescribed() {
    Workflow<Object, Void> child =
        Workflow.define("t::child", Object.class, flow -> flow.step("a", TASK));
    assertThat(
            text(flow -> {
              flow.map("each", TASK, flow.context("list", new TypeRef<List<Object>>() {}))
                  .concurrency(5)
                  .tolerateFailures(2);
              flow.workflow("child", child, flow.input()).after("each");
              flow.sleep("nap", Duration.ofHours(1)).after("child").label("a short rest");
              flow.awaitSignal("ok", "approved", Object.class)
                  .orElse("no")
                  .within(Duration.ofDays(3))
                  .after("nap");
              flow.step("pay", TASK)
                  .after("ok")
                  .when(
                      Rule.all(
                          Rule.noneFailed(),
                          Rule.any(
                              Rule.context(Condition.field("total").isGreaterThan(100)),
                              Rule.quorum(1))))
                  .onError(OnError.PAUSE)
                  .compensate(TaskType.of("t::refund", Object.class));
              flow.finallyStep("tidy", TASK);
              flow.deadline(Duration.ofDays(2));
              flow.maxActive(MaxActive.of(3).per("customer"));
            }))
        .isEqualTo(
            """
            t::flow (deadline 2d00h, at most 3 active runs per customer, others wait)
             ●  each   map of task t::x over list, 5 at a time, 2 may fail
             ●  child  workflow t::child
             ●  nap    sleep of 1h00m                                       "a short rest"
             ●  ok     signal approved, or a default                        within 3d00h
             ●  pay    task t::x                                            when none failed and (total is greater than 100 or at least 1 succeeded); the run pauses if it fails
            compensation, if the run fails or is cancelled:
             ●  undo:pay  task t::refund
            finally, however the run ends:
             ●  tidy  task t::x
            """);
  }

  @Test
  void aGraphWithTooManyLanesIsAList() {
    String text =
        text(flow -> {
          String[] all = IntStream.range(0, 40).mapToObj(i -> "s" + i).toArray(String[]::new);
          for (String name : all) {
            flow.step(name, TASK);
          }
          flow.step("join", TASK).after(all);
        });
    assertThat(text.lines()).hasSize(42);
    assertThat(text).contains("join  task t::x  after s0, s1, s2,").doesNotContain("─");
  }

  @Test
  void mermaidQuotesWhatWouldBeSyntax() {
    List<String> lines =
        Mermaid.lines(
            picture(flow -> {
              flow.step("end", TASK).label("say \"hi\" & <b>go</b> #1; `x`");
              flow.step("undoable", TASK).after("end").compensate(TASK);
              flow.sleep("nap", Duration.ofSeconds(5)).after("undoable");
              flow.finallyStep("tidy", TASK);
              flow.label("it's a flow");
            }));
    assertThat(lines)
        .containsExactly(
            "---",
            "title: 't::flow \"it''s a flow\"'",
            "---",
            "flowchart TD",
            "  s0[\"end<br/>task t::x<br/>#quot;say #quot;hi#quot; #38; #lt;b#gt;go#lt;/b#gt;"
                + " #35;1; #96;x#96;#quot;\"]",
            "  s1[\"undoable<br/>task t::x\"]",
            "  s2([\"nap<br/>sleep of 5s\"])",
            "  s3[\"undo:undoable<br/>task t::x\"]",
            "  subgraph last [\"finally\"]",
            "    s4[\"tidy<br/>task t::x\"]",
            "  end",
            "  s0 --> s1",
            "  s1 --> s2",
            "  s1 -. \"undo\" .-> s3");
  }
}
