package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Composes what clients read of a run from its row, what belongs to it, and its graph. */
final class RunReader {
  private RunReader() {}

  /** Returns a run of a list: with the states of its steps, and nothing else about them. */
  static Run brief(RunRow row, Graph graph) {
    List<RunStep> steps = new ArrayList<>();
    for (int at = 0; at < row.steps().length(); at++) {
      steps.add(new StepSnapshot(graph, at, letter(row, at), null, null, null, null, null));
    }
    return new RunSnapshot(row, steps);
  }

  /** Returns a run whose graph this version cannot read: without steps. */
  static Run unreadable(RunRow row) {
    return new RunSnapshot(row, List.of());
  }

  /** Returns a run with all that is known about its steps. */
  static Run full(RunRow row, RunRow.Details details, Graph graph) {
    Map<Integer, RunRow.Result> results = new HashMap<>();
    details.results().forEach(result -> results.put(result.step(), result));
    List<RunStep> steps = new ArrayList<>();
    for (int at = 0; at < row.steps().length(); at++) {
      steps.add(
          new StepSnapshot(
              graph,
              at,
              letter(row, at),
              details.jobs().get(at),
              results.get(at),
              details.maps().get(at),
              details.children().get(at),
              waitsFor(row, details, graph, at)));
    }
    return new RunSnapshot(row, steps);
  }

  private static StepState letter(RunRow row, int at) {
    return StepState.of(row.steps().charAt(at));
  }

  /** Returns why a step has not started, or not ended: a pure function of what was read. */
  private static @Nullable String waitsFor(
      RunRow row, RunRow.Details details, Graph graph, int at) {
    StepState state = letter(row, at);
    if (state.hasEnded() || row.state().hasEnded()) {
      return null;
    }
    Graph.Node node = graph.steps().get(at);
    return switch (state) {
      case PENDING -> pending(row, details, graph, node);
      case WAITING -> waiting(node, details.timers().get(at));
      default -> active(node, details.jobs().get(at), details, at);
    };
  }

  private static String pending(RunRow row, RunRow.Details details, Graph graph, Graph.Node node) {
    if (row.state() == RunState.QUEUED) {
      return "The maximum number of runs of this workflow is active.";
    }
    List<String> open =
        node.after().stream()
            .filter(before -> !letter(row, before).hasEnded())
            .map(before -> graph.steps().get(before).name())
            .collect(Collectors.toList());
    if (!open.isEmpty()) {
      return "Waits for %s.".formatted(String.join(", ", open));
    }
    if (row.state() == RunState.PAUSED) {
      return "The run is paused: resume it.";
    }
    return switch (node.part()) {
      case MAIN ->
          details.marked()
              ? "A node is about to decide whether it runs."
              : "No node has decided whether it runs: recoverStuck() repairs that.";
      case COMPENSATION -> "Runs if the run fails or is cancelled.";
      case FINALLY -> "Runs after all other steps.";
    };
  }

  private static String waiting(Graph.Node node, @Nullable Instant until) {
    String time = until == null ? "" : ", until %s at the latest".formatted(until);
    return node.work() instanceof Graph.Work.Signal signal
        ? "Waits for signal '%s'%s.".formatted(signal.signal(), time)
        : "Sleeps%s.".formatted(until == null ? "" : " until " + until);
  }

  private static @Nullable String active(
      Graph.Node node, @Nullable Job job, RunRow.Details details, int at) {
    return switch (node.work()) {
      case Graph.Work.Child child ->
          "Its child run %s has not ended.".formatted(details.children().get(at));
      case Graph.Work.Map map -> "Not all of its jobs have ended.";
      default -> job == null ? null : "Its job %s is %s.".formatted(job.id(), job.state());
    };
  }
}
