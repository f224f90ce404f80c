package dev.holdfast.engine.codec;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes JSON in canonical form: fields sorted by name, numbers by value, no whitespace. Texts with
 * the same meaning have the same canonical form, and so the same hash.
 */
public final class CanonicalJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private CanonicalJson() {}

  /** Returns the hash of the canonical form of a JSON value, as 64 hexadecimal digits. */
  public static String hash(JsonNode json) {
    return sha256(text(json));
  }

  /** Returns the canonical form of a JSON value. */
  public static String text(JsonNode json) {
    StringBuilder text = new StringBuilder();
    append(text, json);
    return text.toString();
  }

  /** Returns the hash of a text, as 64 hexadecimal digits. */
  public static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(
          "This Java runtime lacks SHA-256, which every runtime must have", impossible);
    }
  }

  private static void append(StringBuilder text, JsonNode json) {
    if (json.isObject()) {
      text.append('{');
      String separator = "";
      for (String name : new TreeSet<>(json.propertyNames())) {
        text.append(separator).append(MAPPER.writeValueAsString(name)).append(':');
        append(text, json.get(name));
        separator = ",";
      }
      text.append('}');
    } else if (json.isArray()) {
      text.append('[');
      String separator = "";
      for (JsonNode element : json) {
        text.append(separator);
        append(text, element);
        separator = ",";
      }
      text.append(']');
    } else if (json.isNumber()) {
      text.append(json.decimalValue().stripTrailingZeros());
    } else {
      text.append(MAPPER.writeValueAsString(json));
    }
  }
}
