package dev.holdfast.testkit.memory;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunData.Failure;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads what a planner needs to know about a run. */
final class RunReader {
  private final RunTables runs;
  private final PlanWriter plans;

  RunReader(Tables tables, PlanWriter plans) {
    this.runs = tables.runs;
    this.plans = plans;
  }

  RunData read(StoredRun run, RunData.Needs needs) {
    return new RunData(
        outputs(run.id, needs.outputs()),
        items(run, needs.items()),
        signals(run.id, needs.signals()),
        needs.successes() ? successes(run.id) : List.of(),
        failures(run.id, needs.failures()));
  }

  private Map<Integer, Optional<String>> outputs(RunId run, Set<Integer> steps) {
    Map<Integer, Optional<String>> outputs = new TreeMap<>();
    for (int step : steps) {
      StepResult result = runs.results.get(new StepRef(run, step, StepRef.NO_ITEM));
      if (result != null && result.outcome() == StepState.SUCCEEDED) {
        outputs.put(step, Optional.ofNullable(result.output()));
      }
    }
    return outputs;
  }

  private Map<Integer, List<@Nullable String>> items(StoredRun run, Set<Integer> steps) {
    Map<Integer, List<@Nullable String>> items = new TreeMap<>();
    for (int step : steps) {
      MapCounts counts = run.maps.get(step);
      List<@Nullable String> outputs =
          new ArrayList<>(Collections.nCopies(counts == null ? 0 : counts.total(), null));
      runs.resultsOf(run.id, step)
          .forEach((ref, result) -> {
            if (ref.item() >= 0 && ref.item() < outputs.size()) {
              outputs.set(ref.item(), result.output());
            }
          });
      items.put(step, outputs);
    }
    return items;
  }

  private Map<String, RunData.Signal> signals(RunId run, Set<String> names) {
    Map<String, RunData.Signal> signals = new TreeMap<>();
    for (String name : names) {
      RunData.Signal oldest = plans.oldestSignal(run, name);
      if (oldest != null) {
        signals.put(name, oldest);
      }
    }
    return signals;
  }

  /** A map has succeeded when the last of its jobs has. */
  private List<Integer> successes(RunId run) {
    Map<Integer, Instant> last = new TreeMap<>();
    runs.resultsOf(run)
        .forEach((ref, result) -> {
          if (result.outcome() == StepState.SUCCEEDED) {
            last.merge(ref.step(), result.finishedAt(), (a, b) -> a.isAfter(b) ? a : b);
          }
        });
    return last.entrySet().stream()
        .sorted(Comparator.comparing(Map.Entry<Integer, Instant>::getValue))
        .map(Map.Entry::getKey)
        .toList();
  }

  private Map<Integer, Failure> failures(RunId run, Set<Integer> steps) {
    Map<Integer, Failure> failures = new TreeMap<>();
    for (int step : steps) {
      runs.resultsOf(run, step).values().stream()
          .map(StepResult::failure)
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(failure -> failures.put(step, failure));
    }
    return failures;
  }
}
