package dev.holdfast.cli.print;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.schedule.ScheduleStatus;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.introspect.DefaultAccessorNamingStrategy;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.ToStringSerializer;

/**
 * Reads and writes JSON. Records are written by component, times as ISO 8601, ids as text, and
 * payloads and results as JSON values instead of quoted text.
 */
public final class Json {
  /** Keeps the exact digits of numbers, and rejects text after the value. */
  private static final JsonMapper READER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final JsonMapper WRITER =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .addModule(new SimpleModule().addSerializer(JobId.class, ToStringSerializer.instance))
          .addMixIn(Job.class, EncodedPayloads.class)
          .addMixIn(ScheduleStatus.class, EncodedPayloads.class)
          .addMixIn(NodeInfo.class, NodeProperties.class)
          .addMixIn(NodeInfo.Heartbeat.class, BeatProperties.class)
          // Interfaces of the API name their accessors as records do, without a prefix.
          .accessorNaming(new DefaultAccessorNamingStrategy.Provider().withGetterPrefix(""))
          .build();

  private Json() {}

  /** Returns a new object. */
  public static ObjectNode object() {
    return READER.createObjectNode();
  }

  /** Prints a value in one line. */
  public static void printLine(JsonNode value, PrintWriter out) {
    out.println(value);
    out.flush();
  }

  public static void print(Object value, PrintWriter out) {
    out.println(WRITER.writeValueAsString(value));
    out.flush();
  }

  /**
   * Reads a JSON value.
   *
   * @throws IllegalArgumentException if the text is not JSON
   */
  public static JsonNode read(String text) {
    try {
      return READER.readTree(text);
    } catch (JacksonException wrong) {
      throw new IllegalArgumentException(
          "'%s' is not JSON (%s): use a value such as {\"to\": \"ada\"}, quoted for the shell."
              .formatted(text, wrong.getOriginalMessage()),
          wrong);
    }
  }

  /** Returns encoded text as the JSON value that it is, or as text if another codec wrote it. */
  public static @Nullable Object encoded(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return READER.readTree(text);
    } catch (JacksonException otherCodec) {
      return text;
    }
  }

  /** The record components that contain text encoded by a codec. */
  interface EncodedPayloads {
    @JsonSerialize(using = Encoded.class)
    @Nullable String payload();

    @JsonSerialize(using = Encoded.class)
    @Nullable String result();
  }

  /** What is written of a node: its public properties, not what the engine knows in addition. */
  @JsonSerialize(as = NodeInfo.class)
  @JsonPropertyOrder({
    "id",
    "name",
    "incarnation",
    "alive",
    "host",
    "pid",
    "version",
    "startedAt",
    "sinceLastHeartbeat",
    "mode",
    "modeOverrides",
    "stack",
    "serves",
    "roles",
    "queues",
    "tasks",
    "running",
    "capacity",
    "lostSlots"
  })
  interface NodeProperties {}

  /** What is written of a past heartbeat. */
  @JsonSerialize(as = NodeInfo.Heartbeat.class)
  @JsonPropertyOrder({"node", "incarnation", "host", "pid", "at"})
  interface BeatProperties {}

  /** Writes encoded text as JSON, or as a string if another codec wrote it. */
  static final class Encoded extends ValueSerializer<String> {
    @Override
    public void serialize(String text, JsonGenerator out, SerializationContext context) {
      JsonNode value;
      try {
        value = READER.readTree(text);
      } catch (JacksonException otherCodec) {
        out.writeString(text);
        return;
      }
      out.writeTree(value);
    }
  }
}
