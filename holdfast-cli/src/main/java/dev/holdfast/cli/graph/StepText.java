package dev.holdfast.cli.graph;

import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.cli.print.DurationText;
import dev.holdfast.engine.workflow.Graph;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.Work;
import java.util.ArrayList;
import java.util.List;

/** Describes steps in words. */
final class StepText {

  private StepText() {}

  /** Returns what a step does. */
  static String work(Graph graph, Graph.Node step) {
    return switch (step.work()) {
      case Work.Task task -> "task " + task.job().task();
      case Work.Map map ->
          "map of task %s over %s%s%s"
              .formatted(
                  map.job().task(),
                  source(graph, map.items()),
                  map.concurrency() == 0 ? "" : ", %d at a time".formatted(map.concurrency()),
                  map.tolerated() == 0 ? "" : ", %d may fail".formatted(map.tolerated()));
      case Work.Child child -> "workflow " + child.workflow();
      case Work.Sleep sleep -> "sleep of " + DurationText.of(sleep.time());
      case Work.Signal signal ->
          "signal %s%s"
              .formatted(signal.signal(), signal.otherwise() == null ? "" : ", or a default");
    };
  }

  private static String source(Graph graph, Input input) {
    return switch (input) {
      case Input.RunInput run -> "the input";
      case Input.Context context -> context.path() == null ? "the context" : context.path();
      case Input.Output output ->
          graph.steps().get(output.step()).name()
              + (output.path() == null ? "" : "." + output.path());
      case Input.Constant constant -> "a constant";
      case Input.Compensated compensated -> "what is undone";
    };
  }

  /** Returns what is special about a step: its label, rule, time limit and reactions. */
  static List<String> notes(Graph graph, int position) {
    Graph.Node step = graph.steps().get(position);
    List<String> notes = new ArrayList<>();
    if (step.label() != null) {
      notes.add("\"%s\"".formatted(step.label()));
    }
    if (!(step.rule() instanceof Rule.AllSucceeded)) {
      notes.add("when " + RuleText.of(step.rule()));
    }
    if (step.eager()) {
      notes.add("eager");
    }
    if (step.timeout() != null) {
      notes.add("within " + DurationText.of(step.timeout()));
    }
    if (step.part() != Graph.Part.COMPENSATION && step.onError() != OnError.FAIL) {
      notes.add(
          step.onError() == OnError.PAUSE
              ? "the run pauses if it fails"
              : "the run continues if it fails");
    }
    if (graph.required().contains(position)) {
      notes.add("must succeed");
    }
    return notes;
  }

  /** Returns what applies to the workflow as a whole. */
  static List<String> facts(Graph graph) {
    List<String> facts = new ArrayList<>();
    if (graph.deadline() != null) {
      facts.add("deadline %s".formatted(DurationText.of(graph.deadline())));
    }
    if (graph.maxActive() != null) {
      facts.add(
          "at most %d active runs%s, others %s"
              .formatted(
                  graph.maxActive().count(),
                  graph.maxActive().field() == null ? "" : " per " + graph.maxActive().field(),
                  switch (graph.maxActive().onFull()) {
                    case QUEUE -> "wait";
                    case REPLACE -> "replace them";
                    case SKIP -> "are skipped";
                  }));
    }
    return facts;
  }
}
