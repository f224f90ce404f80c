package dev.holdfast.engine.trigger;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON in one way of writing it: fields by name, numbers by value, no blanks. Texts that mean the
 * same come out the same, and so do their hashes.
 */
final class CanonicalJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private CanonicalJson() {}

  /** The hash of what a JSON value means, as 64 hexadecimal digits. */
  static String hash(JsonNode json) {
    return sha256(text(json));
  }

  static String text(JsonNode json) {
    StringBuilder text = new StringBuilder();
    append(text, json);
    return text.toString();
  }

  static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256", impossible);
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
