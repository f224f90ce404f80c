package dev.holdfast.engine.codec;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The trace context of the call that created a job. It is stored with the policy of the job, which
 * no store reads, so that jobs of programs without tracing pay for no column.
 */
public final class JobTrace {
  /** The name of the field that has the trace context. */
  public static final String FIELD = "traceparent";

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final String QUOTED = '"' + FIELD + '"';

  private JobTrace() {}

  /**
   * Returns a JSON object with a trace context in place of the one that it has.
   *
   * @param object a policy, or what started a run; null for an empty one
   * @param trace null for none
   */
  public static @Nullable String with(@Nullable String object, @Nullable String trace) {
    if (trace == null) {
      return without(object);
    }
    ObjectNode json =
        object != null && MAPPER.readTree(object) instanceof ObjectNode known
            ? known
            : MAPPER.createObjectNode();
    return MAPPER.writeValueAsString(json.put(FIELD, trace));
  }

  /** Returns a JSON object without its trace context; null if nothing is left. */
  public static @Nullable String without(@Nullable String object) {
    if (object == null
        || !mentions(object)
        || !(MAPPER.readTree(object) instanceof ObjectNode json)) {
      return object;
    }
    json.remove(FIELD);
    return json.isEmpty() ? null : MAPPER.writeValueAsString(json);
  }

  /** Returns the trace context in a JSON object; null for none. */
  public static @Nullable String read(@Nullable String object) {
    if (object == null || !mentions(object)) {
      return null;
    }
    try {
      JsonNode trace = MAPPER.readTree(object).get(FIELD);
      return trace == null || !trace.isString() ? null : trace.stringValue();
    } catch (JacksonException unreadable) { // As JobPolicyJson.readAnyhow, which logs it.
      return null;
    }
  }

  /** Most objects have none; to see that, they are not parsed. */
  private static boolean mentions(String object) {
    return object.contains(QUOTED);
  }
}
