package dev.holdfast.engine.workflow;

import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.codec.JobTrace;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What started a run, as it is stored with the run: the fields {@code schedule}, {@code trigger}
 * and {@code event} of the context of its steps. The payload of the event is stored only if it is
 * not the input of the run. The trace context of the start is stored with it, see {@link JobTrace},
 * and is not part of the context of steps.
 */
final class StartedBy {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();
  private static final String EVENT = "event";
  private static final String PAYLOAD = "payload";

  private StartedBy() {}

  /**
   * Returns what is stored with a run; null if neither a schedule nor a trigger started it.
   *
   * @param input the encoded input of the run
   */
  static @Nullable String text(@Nullable JobCause cause, String input) {
    if (cause == null) {
      return null;
    }
    return input.equals(cause.payload())
        ? cause.fields()
        : withPayload(cause.fields(), cause.payload());
  }

  /** Returns the same with the payload of the event, for a run with another input. */
  static @Nullable String withPayload(@Nullable String startedBy, @Nullable String payload) {
    if (startedBy == null || payload == null) {
      return startedBy;
    }
    try {
      return MAPPER.writeValueAsString(fields(startedBy, MAPPER.readTree(payload)));
    } catch (JacksonException notJson) { // Of a codec that does not write JSON.
      return startedBy;
    }
  }

  /**
   * Returns the fields of the context.
   *
   * @param input the input of the run; null for none
   */
  static ObjectNode fields(@Nullable String startedBy, @Nullable JsonNode input) {
    if (startedBy == null || !(MAPPER.readTree(startedBy) instanceof ObjectNode fields)) {
      return MAPPER.createObjectNode();
    }
    if (fields.get(EVENT) instanceof ObjectNode event && !event.has(PAYLOAD) && input != null) {
      event.set(PAYLOAD, input.deepCopy());
    }
    fields.remove(JobTrace.FIELD);
    return fields;
  }
}
