package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.Rule;
import dev.holdfast.engine.codec.ConditionJson;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts a {@link Rule} to and from the JSON that is stored. */
final class RuleJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private RuleJson() {}

  static ObjectNode write(Rule rule) {
    ObjectNode json = MAPPER.createObjectNode();
    switch (rule) {
      case Rule.AllSucceeded all -> json.put("kind", "allSucceeded");
      case Rule.AnySucceeded any -> json.put("kind", "anySucceeded");
      case Rule.AllDone done -> json.put("kind", "allDone");
      case Rule.NoneFailed none -> json.put("kind", "noneFailed");
      case Rule.AnyFailed any -> json.put("kind", "anyFailed");
      case Rule.Quorum quorum -> json.put("kind", "quorum").put("count", quorum.count());
      case Rule.Ended ended ->
          json.put("kind", "ended").put("step", ended.step()).put("as", ended.outcome().name());
      case Rule.OnContext on ->
          json.put("kind", "context").set("condition", ConditionJson.write(on.condition()));
      case Rule.All all -> put(json.put("kind", "all"), all.rules());
      case Rule.Any any -> put(json.put("kind", "any"), any.rules());
      case Rule.None none -> put(json.put("kind", "none"), none.rules());
    }
    return json;
  }

  private static void put(ObjectNode json, List<Rule> rules) {
    ArrayNode array = json.putArray("rules");
    rules.forEach(rule -> array.add(write(rule)));
  }

  static Rule read(JsonNode json) {
    String kind = json.get("kind").stringValue();
    return switch (kind) {
      case "allSucceeded" -> new Rule.AllSucceeded();
      case "anySucceeded" -> new Rule.AnySucceeded();
      case "allDone" -> new Rule.AllDone();
      case "noneFailed" -> new Rule.NoneFailed();
      case "anyFailed" -> new Rule.AnyFailed();
      case "quorum" -> new Rule.Quorum(json.get("count").intValue());
      case "ended" ->
          new Rule.Ended(
              json.get("step").stringValue(), Rule.Outcome.valueOf(json.get("as").stringValue()));
      case "context" -> new Rule.OnContext(ConditionJson.read(json.get("condition")));
      case "all" -> new Rule.All(rules(json));
      case "any" -> new Rule.Any(rules(json));
      case "none" -> new Rule.None(rules(json));
      default -> throw GraphJson.unknown("rule", kind);
    };
  }

  private static List<Rule> rules(JsonNode json) {
    List<Rule> rules = new ArrayList<>();
    json.get("rules").forEach(rule -> rules.add(read(rule)));
    return rules;
  }
}
