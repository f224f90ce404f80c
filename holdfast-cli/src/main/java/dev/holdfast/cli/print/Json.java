package dev.holdfast.cli.print;

import java.io.PrintWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes values as JSON: records by their components, times as ISO 8601. */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private Json() {}

  public static void print(Object value, PrintWriter out) {
    out.println(MAPPER.writeValueAsString(value));
    out.flush();
  }
}
