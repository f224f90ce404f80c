package dev.holdfast.server.testing;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

public final class Json {
  private static final JsonMapper MAPPER = new JsonMapper();

  private Json() {}

  public static JsonNode parse(String text) {
    return MAPPER.readTree(text);
  }

  public static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }
}
