package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The results that a new run takes over from the run that it repeats. */
final class Inherited {
  private final GraphIndex index;
  private final StringBuilder letters;
  private final Map<Integer, Optional<String>> outputs = new HashMap<>();
  private final Map<Integer, List<@Nullable String>> items = new HashMap<>();
  private final Map<Integer, RunData.Failure> failures = new HashMap<>();
  private final List<Integer> successes = new ArrayList<>();

  Inherited(GraphIndex index, List<RunPlan.Result> results) {
    this.index = index;
    this.letters =
        new StringBuilder(String.valueOf(StepState.PENDING.letter()).repeat(index.size()));
    Map<Integer, TreeMap<Integer, Optional<String>>> lists = new HashMap<>();
    for (RunPlan.Result result : results) {
      if (result.item() == StepRef.NO_ITEM) {
        add(result);
      } else {
        lists
            .computeIfAbsent(result.step(), step -> new TreeMap<>())
            .put(result.item(), Optional.ofNullable(result.output()));
      }
    }
    lists.forEach((step, list) -> {
      List<@Nullable String> values = new ArrayList<>();
      list.values().forEach(value -> values.add(value.orElse(null)));
      items.put(step, values);
    });
  }

  private void add(RunPlan.Result result) {
    letters.setCharAt(result.step(), result.outcome().letter());
    outputs.put(result.step(), Optional.ofNullable(result.output()));
    if (result.failure() != null) {
      failures.put(result.step(), result.failure());
    }
    if (result.outcome() == StepState.SUCCEEDED) {
      successes.add(result.step());
    }
  }

  String letters() {
    return letters.toString();
  }

  RunData data() {
    return new RunData(outputs, items, Map.of(), successes, failures);
  }

  /** Everything that can be read about a new run is known; no signal was sent to it. */
  RunData.Needs asked() {
    Set<String> signals = new HashSet<>();
    for (int step = 0; step < index.size(); step++) {
      if (index.node(step).work() instanceof Graph.Work.Signal signal) {
        signals.add(signal.signal());
      }
    }
    Set<Integer> all = outputs.keySet();
    return new RunData.Needs(all, all, signals, true, all, Set.of());
  }

  /**
   * Adds an event for each step that does not run again.
   *
   * @param edited the steps whose outputs were replaced
   */
  void record(Draft draft, Set<Integer> edited) {
    for (int step = 0; step < index.size(); step++) {
      String detail =
          edited.contains(step)
              ? "with an output that was given with the rerun"
              : "from the run that is repeated";
      switch (draft.state(step)) {
        case SUCCEEDED -> draft.event(RunEvent.Kind.STEP_SUCCEEDED, step, detail);
        case FAILED -> draft.event(RunEvent.Kind.STEP_FAILED, step, detail);
        case CANCELLED -> draft.event(RunEvent.Kind.STEP_CANCELLED, step, detail);
        case SKIPPED -> draft.event(RunEvent.Kind.STEP_SKIPPED, step, detail);
        case PENDING, ACTIVE, WAITING -> {}
      }
    }
  }
}
