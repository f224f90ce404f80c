package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.engine.codec.CanonicalJson;
import dev.holdfast.engine.codec.ConditionCheck;
import dev.holdfast.engine.store.NewRun;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Computes which limit on active runs a new run counts against. */
final class Gates {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int LONGEST_KEY = 200;

  private Gates() {}

  /**
   * Returns the limit for a run with this input; null if its workflow has none.
   *
   * @throws IllegalArgumentException if the limit depends on a field, and the input is not JSON
   */
  static NewRun.@Nullable Gate of(Graph graph, @Nullable String input) {
    MaxActive limit = graph.maxActive();
    return limit == null
        ? null
        : new NewRun.Gate(key(graph, limit, input), limit.count(), limit.onFull());
  }

  /**
   * Returns the limit for a child run. It waits if the limit is reached, in any case: its parent
   * needs a run of its own, and no child must replace that of another parent.
   */
  static NewRun.@Nullable Gate ofChild(Graph graph, @Nullable String input) {
    NewRun.Gate gate = of(graph, input);
    return gate == null ? null : new NewRun.Gate(gate.key(), gate.count(), MaxActive.OnFull.QUEUE);
  }

  private static String key(Graph graph, MaxActive limit, @Nullable String input) {
    if (limit.field() == null) {
      return "";
    }
    JsonNode value = input == null ? null : ConditionCheck.at(read(graph, input), limit.field());
    String key = value == null ? "null" : CanonicalJson.text(value);
    return key.length() <= LONGEST_KEY ? key : CanonicalJson.sha256(key);
  }

  private static JsonNode read(Graph graph, String input) {
    try {
      return MAPPER.readTree(input);
    } catch (JacksonException notJson) {
      throw new IllegalArgumentException(
          "The input of workflow '%s' is not JSON (%s), but its maximum of active runs depends on a field: use a codec that writes JSON, or limit all runs together."
              .formatted(graph.name(), notJson.getOriginalMessage()),
          notJson);
    }
  }
}
