package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.store.RunControl.MovedJobs;
import dev.holdfast.engine.store.RunPhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How an open run would be moved to another graph. Steps are matched by name.
 *
 * @param letters one letter for each step of the new graph
 * @param positions the old position of each step that exists in both graphs, by new position
 * @param jobs how the jobs of started steps that differ are run from now on, by new position
 * @param differences what differs, one line each
 * @param refusals why the run cannot be moved, one line each; empty if it can
 */
record MovePlan(
    String letters,
    Map<Integer, Integer> positions,
    Map<Integer, MovedJobs> jobs,
    List<String> differences,
    List<String> refusals) {

  /**
   * Compares the graph of a run with another one, given the letters of its steps.
   *
   * @param phase the phase of the run: steps that are new in a part that is over are skipped
   * @param trace the trace context of the run; null for none
   */
  static MovePlan of(Graph from, Graph to, String letters, RunPhase phase, @Nullable String trace) {
    Map<String, Integer> old = new TreeMap<>();
    for (int i = 0; i < from.steps().size(); i++) {
      old.put(from.steps().get(i).name(), i);
    }
    StringBuilder moved = new StringBuilder();
    Map<Integer, Integer> positions = new TreeMap<>();
    Map<Integer, MovedJobs> jobs = new TreeMap<>();
    List<String> differences = new ArrayList<>();
    List<String> refusals = new ArrayList<>();
    for (int i = 0; i < to.steps().size(); i++) {
      Graph.Node node = to.steps().get(i);
      Integer before = old.remove(node.name());
      if (before == null) {
        boolean late = isOver(node.part(), phase);
        moved.append((late ? StepState.SKIPPED : StepState.PENDING).letter());
        differences.add(
            (late
                    ? "+ step '%s' is new; it is skipped, since its part is over"
                    : "+ step '%s' is new")
                .formatted(node.name()));
        continue;
      }
      moved.append(letters.charAt(before));
      positions.put(i, before);
      if (letters.charAt(before) == StepState.ACTIVE.letter()) {
        MovedJobs runAs = jobs(node);
        if (runAs != null && !runAs.equals(jobs(from.steps().get(before)))) {
          jobs.put(
              i, new MovedJobs(runAs.task(), runAs.queue(), JobTrace.with(runAs.policy(), trace)));
        }
      }
      compare(
          from,
          from.steps().get(before),
          to,
          node,
          isStarted(letters, before),
          differences,
          refusals);
    }
    old.forEach((name, position) -> {
      differences.add("- step '%s' is gone".formatted(name));
      if (isStarted(letters, position)) {
        refusals.add("step '%s' has started, but is not in the new graph".formatted(name));
      }
    });
    return new MovePlan(moved.toString(), positions, jobs, differences, refusals);
  }

  /** Nothing starts a step of a part that is over, so it would stay open. */
  private static boolean isOver(Graph.Part part, RunPhase phase) {
    return switch (phase) {
      case MAIN, STOPPING -> false;
      case COMPENSATE -> part == Graph.Part.MAIN;
      case FINALLY -> part != Graph.Part.FINALLY;
    };
  }

  /** Returns how the jobs of a step are run; null if it has none. */
  private static @Nullable MovedJobs jobs(Graph.Node node) {
    Graph.JobTemplate template =
        switch (node.work()) {
          case Graph.Work.Task task -> task.job();
          case Graph.Work.Map map -> map.job();
          case Graph.Work.Child child -> null;
          case Graph.Work.Sleep sleep -> null;
          case Graph.Work.Signal signal -> null;
        };
    return template == null
        ? null
        : new MovedJobs(template.task(), template.queue(), template.policy());
  }

  private static void compare(
      Graph from,
      Graph.Node before,
      Graph to,
      Graph.Node after,
      boolean started,
      List<String> differences,
      List<String> refusals) {
    String name = after.name();
    String oldKind = kind(before);
    String newKind = kind(after);
    if (!oldKind.equals(newKind)) {
      differences.add("~ step '%s' was %s and is %s".formatted(name, oldKind, newKind));
      if (started) {
        refusals.add(
            "step '%s' has started as %s, but is %s in the new graph"
                .formatted(name, oldKind, newKind));
      }
    } else if (!describe(from, before).equals(describe(to, after))) {
      differences.add(
          started
              ? ("~ step '%s' differs; it has started: its payload stays, and jobs that no node"
                      + " holds run as the new graph says")
                  .formatted(name)
              : "~ step '%s' differs".formatted(name));
    }
  }

  /** Describes a step independently of the positions of the steps that it refers to. */
  private static List<Object> describe(Graph graph, Graph.Node node) {
    List<Object> parts = new ArrayList<>();
    node.after().forEach(step -> parts.add(graph.steps().get(step).name()));
    parts.add(List.of(node.rule(), node.onError(), node.eager()));
    parts.add(String.valueOf(node.timeout()));
    switch (node.work()) {
      case Graph.Work.Task task -> {
        parts.add(task.job());
        parts.add(describe(graph, task.payload()));
      }
      case Graph.Work.Map map -> {
        parts.add(List.of(map.job(), map.concurrency(), map.tolerated()));
        parts.add(describe(graph, map.items()));
      }
      case Graph.Work.Child child -> {
        parts.add(child.hash());
        parts.add(describe(graph, child.input()));
      }
      case Graph.Work.Sleep sleep -> parts.add(sleep);
      case Graph.Work.Signal signal -> parts.add(signal);
    }
    return parts;
  }

  private static Object describe(Graph graph, Graph.Input input) {
    return input instanceof Graph.Input.Output output
        ? List.of(graph.steps().get(output.step()).name(), String.valueOf(output.path()))
        : input;
  }

  private static boolean isStarted(String letters, int step) {
    StepState state = StepState.of(letters.charAt(step));
    return state != StepState.PENDING && state != StepState.SKIPPED;
  }

  private static String kind(Graph.Node node) {
    String kind =
        switch (node.work()) {
          case Graph.Work.Task task -> "a task";
          case Graph.Work.Map map -> "a map";
          case Graph.Work.Child child -> "a child workflow";
          case Graph.Work.Sleep sleep -> "a sleep";
          case Graph.Work.Signal signal -> "a wait for a signal";
        };
    return switch (node.part()) {
      case MAIN -> kind;
      case COMPENSATION -> kind + " that compensates";
      case FINALLY -> kind + " that runs finally";
    };
  }
}
