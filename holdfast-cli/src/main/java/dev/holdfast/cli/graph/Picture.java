package dev.holdfast.cli.graph;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.workflow.Graph;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workflow or a run to be drawn.
 *
 * @param title the name of the workflow
 * @param facts what applies to the workflow as a whole
 * @param steps all steps, dependencies before their dependents
 */
public record Picture(String title, List<String> facts, List<Box> steps) {

  /**
   * A step to be drawn.
   *
   * @param after the positions of its dependencies
   * @param kind what it does
   * @param work what it does, in words
   * @param notes what is special about it
   * @param undoes the position of the step that it undoes; -1 for none
   * @param state its state; null if no run is drawn
   * @param progress how far it has come, such as its duration; empty if no run is drawn
   */
  public record Box(
      String name,
      Graph.Part part,
      List<Integer> after,
      Graph.Work kind,
      String work,
      List<String> notes,
      int undoes,
      @Nullable StepState state,
      String progress) {}

  /** Returns the picture of a workflow. */
  public static Picture of(Graph graph) {
    return of(graph, Map.of(), Instant.EPOCH);
  }

  /**
   * Returns the picture of a run.
   *
   * @param graph the graph that the run pins
   * @param steps how far the steps have come, by name
   * @param now the current time, for the duration of steps that have not ended
   */
  public static Picture of(Graph graph, Map<String, StepProgress> steps, Instant now) {
    List<Box> boxes = new ArrayList<>();
    for (int at = 0; at < graph.steps().size(); at++) {
      Graph.Node node = graph.steps().get(at);
      StepProgress step = steps.get(node.name());
      boxes.add(
          new Box(
              node.name(),
              node.part(),
              node.after(),
              node.work(),
              StepText.work(graph, node),
              StepText.notes(graph, at),
              node.compensates(),
              step == null ? null : step.state(),
              step == null ? "" : step.text(now)));
    }
    String label = graph.label() == null ? "" : " \"%s\"".formatted(graph.label());
    return new Picture(graph.name() + label, StepText.facts(graph), boxes);
  }

  /** Returns whether a run is drawn. */
  boolean isRun() {
    return steps.stream().anyMatch(step -> step.state() != null);
  }
}
