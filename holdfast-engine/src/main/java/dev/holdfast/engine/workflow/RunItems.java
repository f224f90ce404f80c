package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.ConditionCheck;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.StepRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Composes what clients read of the elements of a map. The elements are computed again from what
 * the map reads, as when it started: nothing is stored for elements that have not started.
 */
final class RunItems {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final RunRow row;
  private final GraphIndex index;
  private final List<RunPlan.Result> results;

  /**
   * @param results the results of all steps, with those of the elements of maps
   */
  RunItems(RunRow row, GraphIndex index, List<RunPlan.Result> results) {
    this.row = row;
    this.index = index;
    this.results = results;
  }

  private record Item(
      int position, String label, StepState state, String input, RunPlan.@Nullable Result result)
      implements RunItem {
    @Override
    public Optional<String> output() {
      return Optional.ofNullable(result).map(RunPlan.Result::output);
    }

    @Override
    public Optional<String> failure() {
      return Optional.ofNullable(result)
          .map(RunPlan.Result::failure)
          .map(RunData.Failure::describe);
    }
  }

  /**
   * Returns the elements of a map; none if its list cannot be read, or cannot be read yet.
   *
   * @param counts how many jobs were created; null if the map has not started
   */
  List<RunItem> of(int step, Graph.Work.Map map, @Nullable MapCounts counts) {
    Map<Integer, RunPlan.Result> ended = new HashMap<>();
    results.stream()
        .filter(result -> result.step() == step && result.item() != StepRef.NO_ITEM)
        .forEach(result -> ended.put(result.item(), result));
    int inserted = counts == null ? 0 : counts.inserted();
    List<RunItem> items = new ArrayList<>();
    for (String element : elements(step, map)) {
      int position = items.size();
      RunPlan.Result result = ended.get(position);
      items.add(
          new Item(
              position,
              label(map, element, position),
              state(result, position < inserted),
              element,
              result));
    }
    return items;
  }

  private List<String> elements(int step, Graph.Work.Map map) {
    RunFacts facts =
        new RunFacts(
            row.id(),
            row.definition(),
            row.state(),
            row.phase(),
            row.steps(),
            row.input(),
            row.reason(),
            null,
            row.source(),
            row.bytes(),
            List.of(),
            Map.of(),
            Map.of());
    RunData data = new Inherited(index, results).data();
    try {
      return new Payloads(
              index, facts, data, other -> StepState.of(row.steps().charAt(other)), Map.of())
          .items(step, map);
    } catch (StepFailed unreadable) {
      return List.of();
    }
  }

  private StepState state(RunPlan.@Nullable Result result, boolean inserted) {
    if (result != null) {
      return result.outcome();
    }
    return row.state().hasEnded()
        ? StepState.SKIPPED
        : inserted ? StepState.ACTIVE : StepState.PENDING;
  }

  private static String label(Graph.Work.Map map, String element, int position) {
    String none = String.valueOf(position);
    if (map.itemLabel() == null) {
      return none;
    }
    try {
      JsonNode value = ConditionCheck.at(MAPPER.readTree(element), map.itemLabel());
      return value == null || value.isNull()
          ? none
          : value.isString() ? value.stringValue() : value.toString();
    } catch (JacksonException notJson) {
      return none;
    }
  }
}
