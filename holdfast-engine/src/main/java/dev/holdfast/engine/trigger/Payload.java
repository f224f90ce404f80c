package dev.holdfast.engine.trigger;

import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.codec.CanonicalJson;
import dev.holdfast.engine.codec.ConditionCheck;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The payload of an event, as triggers evaluate it. */
final class Payload {
  // With floating point, numbers that differ in the seventeenth digit would be equal.
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private static final int LONGEST_SUBJECT = 200;

  private final String text;
  private final JsonNode json;
  private final String hash;

  private Payload(String text, JsonNode json) {
    this.text = text;
    this.json = json;
    this.hash = CanonicalJson.hash(json);
  }

  /**
   * Parses a payload.
   *
   * @throws IllegalArgumentException if it is not JSON
   */
  static Payload read(String event, String text) {
    try {
      return new Payload(text, MAPPER.readTree(text));
    } catch (JacksonException notJson) {
      throw new IllegalArgumentException(
          "The payload of event '%s' is not JSON (%s): use a codec that writes JSON for events, since triggers evaluate fields."
              .formatted(event, notJson.getOriginalMessage()),
          notJson);
    }
  }

  /** Returns the payload as it was published. */
  String text() {
    return text;
  }

  /** Returns the unique key that lets a trigger start this payload once. */
  String keyFor(Trigger trigger) {
    return "event:%s:%s".formatted(trigger.id(), hash);
  }

  /** Returns what the event is about for a trigger; long values are replaced by their hash. */
  String subjectFor(Trigger trigger) {
    if (trigger.subject() == null) {
      return "";
    }
    JsonNode value = ConditionCheck.at(json, trigger.subject());
    String subject = value == null ? "null" : CanonicalJson.text(value);
    return subject.length() <= LONGEST_SUBJECT ? subject : CanonicalJson.sha256(subject);
  }

  /**
   * Returns what the event is about, as a value; a long one is replaced by its hash. Returns null
   * for a trigger without a subject, and for a payload without the field.
   */
  @Nullable JsonNode subjectValue(Trigger trigger) {
    JsonNode value = trigger.subject() == null ? null : ConditionCheck.at(json, trigger.subject());
    return value == null || CanonicalJson.text(value).length() <= LONGEST_SUBJECT
        ? value
        : MAPPER.getNodeFactory().stringNode(subjectFor(trigger));
  }

  /** Returns whether the payload meets all conditions of a trigger. */
  boolean meets(Trigger trigger) {
    return trigger.conditions().stream().allMatch(each -> ConditionCheck.meets(json, each));
  }
}
