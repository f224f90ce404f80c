package dev.holdfast.engine.trigger;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.codec.ConditionJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts a {@link Trigger} to and from the JSON that is stored. Durations are ISO-8601 text. */
public final class TriggerText {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private TriggerText() {}

  public static String write(Trigger trigger) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("id", trigger.id());
    json.put("event", trigger.event());
    json.put("task", trigger.task());
    json.put("window", trigger.window().toString());
    json.put("queue", trigger.queue());
    json.put("priority", trigger.priority());
    if (trigger.subject() != null) {
      json.put("subject", trigger.subject());
    }
    put(json, "debounce", trigger.debounce());
    put(json, "maxWait", trigger.maxWait());
    put(json, "cooldown", trigger.cooldown());
    ArrayNode conditions = json.putArray("conditions");
    trigger.conditions().forEach(condition -> conditions.add(ConditionJson.write(condition)));
    ArrayNode tags = json.putArray("tags");
    trigger.tags().stream().sorted().forEach(tags::add);
    return MAPPER.writeValueAsString(json);
  }

  public static Trigger read(String text) {
    JsonNode json = MAPPER.readTree(text);
    List<Condition> conditions = new ArrayList<>();
    json.path("conditions").forEach(each -> conditions.add(ConditionJson.read(each)));
    Set<String> tags = new HashSet<>();
    json.path("tags").forEach(tag -> tags.add(tag.stringValue()));
    JsonNode subject = json.get("subject");
    return new Trigger(
        json.get("id").stringValue(),
        json.get("event").stringValue(),
        json.get("task").stringValue(),
        conditions,
        Duration.parse(json.get("window").stringValue()),
        subject == null ? null : subject.stringValue(),
        duration(json.get("debounce")),
        duration(json.get("maxWait")),
        duration(json.get("cooldown")),
        json.get("queue").stringValue(),
        json.get("priority").intValue(),
        tags);
  }

  private static void put(ObjectNode json, String field, @Nullable Duration value) {
    if (value != null) {
      json.put(field, value.toString());
    }
  }

  private static @Nullable Duration duration(@Nullable JsonNode json) {
    return json == null ? null : Duration.parse(json.stringValue());
  }
}
