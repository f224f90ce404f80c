package dev.holdfast.server.http;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes the JSON of the API. */
public final class JsonText {
  private static final int DEEPEST = 100;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxNumberLength(200)
                          .build())
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // Payloads pass through unchanged.
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private JsonText() {}

  /**
   * Parses a text.
   *
   * @throws ProblemException if it is not JSON
   */
  static JsonNode parse(byte[] text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException wrong) {
      throw Code.MALFORMED_REQUEST.because(
          "The body is not valid JSON: %s", firstLine(wrong.getOriginalMessage()));
    }
  }

  private static String firstLine(@Nullable String message) {
    return message == null ? "it ends early." : message.lines().findFirst().orElse("");
  }

  /** Parses a text that the server has written. */
  public static JsonNode parse(String text) {
    return MAPPER.readTree(text);
  }

  /** Returns a stored text as JSON; as a string if it is not JSON. */
  public static JsonNode orString(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException notJson) {
      return MAPPER.getNodeFactory().stringNode(text);
    }
  }

  /** Starts an object. */
  public static Obj object() {
    return new Obj(MAPPER.createObjectNode());
  }

  /** Starts an array. */
  public static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  /** Returns an array of texts. */
  public static ArrayNode texts(Collection<String> values) {
    ArrayNode array = array();
    values.forEach(array::add);
    return array;
  }

  /**
   * Builds an object. Numbers of 64 bits become texts, since many programs read them as doubles.
   */
  public static final class Obj {
    private final ObjectNode node;

    private Obj(ObjectNode node) {
      this.node = node;
    }

    /** Adds a text; null if it is absent. */
    public Obj put(String name, @Nullable String value) {
      node.put(name, value);
      return this;
    }

    /** Adds a number. */
    public Obj put(String name, int value) {
      node.put(name, value);
      return this;
    }

    /** Adds a number; null if it is absent. */
    public Obj put(String name, @Nullable Integer value) {
      node.put(name, value);
      return this;
    }

    /** Adds a number of 64 bits, as a text. */
    public Obj put(String name, long value) {
      node.put(name, String.valueOf(value));
      return this;
    }

    /** Adds a truth value. */
    public Obj put(String name, boolean value) {
      node.put(name, value);
      return this;
    }

    /** Adds a time in UTC; null if it is absent. */
    public Obj put(String name, @Nullable Instant value) {
      node.put(name, value == null ? null : value.toString());
      return this;
    }

    /** Adds a duration; null if it is absent. */
    public Obj put(String name, @Nullable Duration value) {
      node.put(name, value == null ? null : value.toString());
      return this;
    }

    /** Adds a value by its text; null if it is absent. */
    public Obj putText(String name, @Nullable Object value) {
      node.put(name, value == null ? null : value.toString());
      return this;
    }

    /** Adds a value by its text; null if it is absent. */
    public Obj putText(String name, Optional<?> value) {
      return putText(name, value.orElse(null));
    }

    /** Adds JSON; null if it is absent. */
    public Obj set(String name, @Nullable JsonNode value) {
      if (value == null) {
        node.putNull(name);
      } else {
        node.set(name, value);
      }
      return this;
    }

    /** Returns the object. */
    public ObjectNode done() {
      return node;
    }
  }
}
