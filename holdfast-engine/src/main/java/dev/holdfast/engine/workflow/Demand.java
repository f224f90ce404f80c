package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.Work;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntFunction;

/** Collects what must be known about a run before something can be decided. */
final class Demand {
  private final GraphIndex index;
  private final IntFunction<StepState> states;
  private final Set<Integer> outputs = new HashSet<>();
  private final Set<Integer> items = new HashSet<>();
  private final Set<String> signals = new HashSet<>();
  private final Set<Integer> failures = new HashSet<>();
  private final Set<String> definitions = new HashSet<>();
  private boolean successes;

  Demand(GraphIndex index, IntFunction<StepState> states) {
    this.index = index;
    this.states = states;
  }

  /** Adds what is needed to compute an input of a step. */
  void input(int step, Input input) {
    switch (input) {
      case Input.RunInput run -> {}
      case Input.Constant constant -> {}
      case Input.Context context -> outputs(index.sources(step));
      case Input.Output output -> output(output.step());
      case Input.Compensated undo -> compensated(index.node(step).compensates());
    }
  }

  private void compensated(int step) {
    output(step);
    switch (index.node(step).work()) {
      case Work.Task task -> input(step, task.payload());
      case Work.Map map -> input(step, map.items());
      case Work.Child child -> input(step, child.input());
      case Work.Sleep sleep -> {}
      case Work.Signal signal -> {}
    }
  }

  /** Adds the outputs of those of the steps that succeeded. */
  void outputs(BitSet steps) {
    steps.stream().forEach(this::output);
  }

  void output(int step) {
    if (states.apply(step) == StepState.SUCCEEDED) {
      (index.node(step).work() instanceof Work.Map ? items : outputs).add(step);
    }
  }

  void signal(String name) {
    signals.add(name);
  }

  void failure(int step) {
    failures.add(step);
  }

  void definition(String hash) {
    definitions.add(hash);
  }

  void successes() {
    successes = true;
  }

  void add(Demand other) {
    outputs.addAll(other.outputs);
    items.addAll(other.items);
    signals.addAll(other.signals);
    failures.addAll(other.failures);
    definitions.addAll(other.definitions);
    successes |= other.successes;
  }

  /**
   * Returns whether all of this is known.
   *
   * @param asked what was read
   * @param own the steps whose results are known without reading
   */
  boolean isMet(RunData.Needs asked, Set<Integer> own) {
    return covers(asked.outputs(), own, outputs)
        && covers(asked.items(), own, items)
        && asked.signals().containsAll(signals)
        && covers(asked.failures(), own, failures)
        && asked.definitions().containsAll(definitions)
        && (asked.successes() || !successes);
  }

  private static boolean covers(Set<Integer> asked, Set<Integer> own, Set<Integer> wanted) {
    return wanted.stream().allMatch(step -> asked.contains(step) || own.contains(step));
  }

  RunData.Needs needs() {
    return new RunData.Needs(
        Set.copyOf(outputs),
        Set.copyOf(items),
        Set.copyOf(signals),
        successes,
        Set.copyOf(failures),
        Set.copyOf(definitions));
  }
}
