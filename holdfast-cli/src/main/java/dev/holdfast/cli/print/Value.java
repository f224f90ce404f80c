package dev.holdfast.cli.print;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads fields of JSON objects as texts to print. */
public final class Value {
  private static final int LONGEST = 400;

  private Value() {}

  /** Returns a field; null if it is absent or null. */
  public static @Nullable JsonNode of(JsonNode object, String field) {
    JsonNode value = object.get(field);
    return value == null || value.isNull() ? null : value;
  }

  /** Returns a field as text; null if it is absent or null. */
  public static @Nullable String orNull(JsonNode object, String field) {
    JsonNode value = of(object, field);
    if (value == null) {
      return null;
    }
    if (value.isNumber()) {
      return value.decimalValue().toPlainString();
    }
    return Printable.line(value.isString() ? value.stringValue() : value.toString());
  }

  /** Returns a field as text; empty if it is absent or null. */
  public static String text(JsonNode object, String field) {
    String text = orNull(object, field);
    return text == null ? "" : text;
  }

  /** Returns a truth value as a word. */
  public static String yesNo(JsonNode object, String field) {
    JsonNode value = of(object, field);
    return value != null && value.booleanValue() ? "yes" : "no";
  }

  /** Returns a time without fractions of seconds; empty if it is absent or null. */
  public static String time(JsonNode object, String field) {
    Instant time = instant(object, field);
    return time == null ? "" : time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Returns a time; null if it is absent or null. */
  public static @Nullable Instant instant(JsonNode object, String field) {
    JsonNode value = of(object, field);
    return value == null ? null : Instant.parse(value.stringValue());
  }

  /** Returns a duration in its two largest units; null if it is absent or null. */
  public static @Nullable String duration(JsonNode object, String field) {
    JsonNode value = of(object, field);
    return value == null ? null : DurationText.of(Duration.parse(value.stringValue()));
  }

  /** Returns a list of texts; empty if it is absent or null. */
  public static List<String> list(JsonNode object, String field) {
    List<String> texts = new ArrayList<>();
    JsonNode value = of(object, field);
    if (value != null) {
      value.forEach(each -> texts.add(Printable.line(each.asString())));
    }
    return texts;
  }

  /** Returns a field of each object of an array, as text. */
  public static List<String> texts(JsonNode array, String field) {
    List<String> texts = new ArrayList<>();
    array.forEach(object -> texts.add(text(object, field)));
    return texts;
  }

  /** Returns a list of texts in one; null if it is empty. */
  public static @Nullable String joined(JsonNode object, String field) {
    List<String> texts = list(object, field);
    return texts.isEmpty() ? null : String.join(", ", texts);
  }

  /** Returns JSON as text, shortened if it is long; null if it is absent or null. */
  public static @Nullable String json(JsonNode object, String field) {
    JsonNode value = of(object, field);
    if (value == null) {
      return null;
    }
    String all = Printable.line(value.toString());
    return all.length() <= LONGEST
        ? all
        : "%s... (%d characters, see --output json)"
            .formatted(all.substring(0, LONGEST), all.length());
  }
}
