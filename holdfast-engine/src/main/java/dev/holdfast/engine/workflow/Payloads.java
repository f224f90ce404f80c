package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.ConditionCheck;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.Work;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Computes inputs of steps from the input of the run and the outputs of steps. A whole input or
 * output is passed on as the text that is stored, so that it need not be JSON.
 */
final class Payloads {
  /** With floating point, long numbers would not be passed on unchanged. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  static final int LONGEST_MAP = 10_000;

  private final GraphIndex index;
  private final RunFacts facts;
  private final RunData data;
  private final IntFunction<StepState> states;
  private final Map<Integer, RunPlan.Result> own;

  /**
   * Creates the inputs of a run.
   *
   * @param own results that are not in the data, because they are only being planned
   */
  Payloads(
      GraphIndex index,
      RunFacts facts,
      RunData data,
      IntFunction<StepState> states,
      Map<Integer, RunPlan.Result> own) {
    this.index = index;
    this.facts = facts;
    this.data = data;
    this.states = states;
    this.own = own;
  }

  /** Returns the encoded input of a step; null for none. */
  @Nullable String text(int step, Input input) throws StepFailed {
    return text(input, index.sources(step), step);
  }

  /** Returns the encoded result of the run; null for none. */
  @Nullable String result(Input input) throws StepFailed {
    return text(input, index.main(), -1);
  }

  private @Nullable String text(Input input, BitSet sources, int step) throws StepFailed {
    return switch (input) {
      case Input.RunInput run -> facts.input();
      case Input.Constant constant -> constant.value();
      case Input.Context context -> write(at(context(sources), context.path()));
      case Input.Output output ->
          output.path() == null
              ? output(output.step())
              : write(at(outputJson(output.step()), output.path()));
      case Input.Compensated undo -> compensated(index.node(step).compensates());
    };
  }

  private static @Nullable JsonNode at(@Nullable JsonNode json, @Nullable String path) {
    return json == null || path == null ? json : ConditionCheck.at(json, path);
  }

  private static @Nullable String write(@Nullable JsonNode json) {
    return json == null ? null : MAPPER.writeValueAsString(json);
  }

  /** Returns the elements of the list of a map, encoded. */
  List<String> items(int step, Work.Map map) throws StepFailed {
    String text = text(step, map.items());
    JsonNode list = text == null ? null : read(text, "The list of step '%s'", step);
    if (!(list instanceof ArrayNode array)) {
      throw new StepFailed(
          StepFailed.NOT_A_LIST,
          "Step '%s' of run %s maps over %s, which is not a list: give it a source that is a JSON array."
              .formatted(
                  index.node(step).name(),
                  facts.id(),
                  list == null ? "nothing" : "a value of type " + list.getNodeType()));
    }
    if (array.size() > LONGEST_MAP) {
      throw new StepFailed(
          StepFailed.MAP_TOO_LARGE,
          "Step '%s' of run %s maps over %d elements, but at most %d are allowed: divide the list among several maps or child workflows."
              .formatted(index.node(step).name(), facts.id(), array.size(), LONGEST_MAP));
    }
    List<String> items = new ArrayList<>(array.size());
    array.forEach(element -> items.add(MAPPER.writeValueAsString(element)));
    return items;
  }

  /** Returns the context of a step. */
  ObjectNode context(int step) throws StepFailed {
    return context(index.sources(step));
  }

  private ObjectNode context(BitSet sources) throws StepFailed {
    JsonNode input = facts.input() == null ? null : read(facts.input(), "The input of the run", -1);
    ContextMerge merge = new ContextMerge(facts.id(), index.graph().name(), input);
    merge.reserve(StartedBy.fields(facts.source().startedBy(), input));
    for (int step = sources.nextSetBit(0); step >= 0; step = sources.nextSetBit(step + 1)) {
      JsonNode output = outputJson(step);
      Graph.Node node = index.node(step);
      if (output == null) {
        continue;
      }
      switch (node.work()) {
        case Work.Map map -> merge.addNamed(node.name(), output);
        case Work.Child child -> merge.addNamed(node.name(), output);
        case Work.Task task -> merge.add(node.name(), output);
        case Work.Sleep sleep -> merge.add(node.name(), output);
        case Work.Signal signal -> merge.add(node.name(), output);
      }
    }
    return merge.context();
  }

  private String compensated(int step) throws StepFailed {
    String input =
        switch (index.node(step).work()) {
          case Work.Task task -> text(step, task.payload());
          case Work.Map map -> text(step, map.items());
          case Work.Child child -> text(step, child.input());
          case Work.Sleep sleep -> null;
          case Work.Signal signal -> null;
        };
    ObjectNode payload = MAPPER.createObjectNode();
    payload.set("input", input == null ? null : read(input, "The input of step '%s'", step));
    payload.set("output", outputJson(step));
    return MAPPER.writeValueAsString(payload);
  }

  private @Nullable JsonNode outputJson(int step) throws StepFailed {
    String output = output(step);
    return output == null ? null : read(output, "The output of step '%s'", step);
  }

  /** Returns the encoded output of a step; null if it has none or did not succeed. */
  private @Nullable String output(int step) {
    if (states.apply(step) != StepState.SUCCEEDED) {
      return null;
    }
    RunPlan.Result planned = own.get(step);
    if (planned != null && planned.output() != null) {
      return planned.output();
    }
    if (index.node(step).work() instanceof Work.Map) {
      return list(data.items().getOrDefault(step, List.of()));
    }
    return data.outputs().getOrDefault(step, Optional.empty()).orElse(null);
  }

  private static String list(List<@Nullable String> items) {
    StringBuilder list = new StringBuilder("[");
    String separator = "";
    for (String item : items) {
      list.append(separator).append(item == null ? "null" : item);
      separator = ",";
    }
    return list.append(']').toString();
  }

  private JsonNode read(String text, String what, int step) throws StepFailed {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException notJson) {
      throw new StepFailed(
          StepFailed.NOT_JSON,
          "%s is not JSON (%s): only a whole input or output can be passed on with a codec that does not write JSON."
              .formatted(
                  step < 0 ? what : what.formatted(index.node(step).name()),
                  notJson.getOriginalMessage()));
    }
  }
}
