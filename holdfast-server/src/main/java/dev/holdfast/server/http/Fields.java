package dev.holdfast.server.http;

import dev.holdfast.api.internal.Suggestion;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the fields of a JSON object, and collects what is wrong with them. A handler reads all the
 * fields it knows and then calls {@link #done}, which fails if one was not valid or not known.
 */
public final class Fields {
  private final String prefix;
  private final ObjectNode object;
  private final List<Response.FieldError> errors;
  private final Set<String> known = new TreeSet<>();

  private Fields(String prefix, ObjectNode object, List<Response.FieldError> errors) {
    this.prefix = prefix;
    this.object = object;
    this.errors = errors;
  }

  static Fields of(JsonNode body) {
    if (!(body instanceof ObjectNode object)) {
      throw Code.INVALID_REQUEST.because("The body must be a JSON object.");
    }
    return new Fields("", object, new ArrayList<>());
  }

  private @Nullable JsonNode value(String name) {
    known.add(name);
    JsonNode value = object.get(name);
    return value == null || value.isNull() ? null : value;
  }

  private void wrong(String name, String message) {
    errors.add(new Response.FieldError(prefix + name, message));
  }

  /** Reads a text that is required. */
  public String text(String name) {
    String value = textOr(name, null);
    if (value == null) {
      if (value(name) == null) {
        wrong(name, "is required");
      }
      return "";
    }
    return value;
  }

  /** Reads a text that may be absent. */
  public @Nullable String textOr(String name, @Nullable String otherwise) {
    JsonNode value = value(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isString()) {
      wrong(name, "must be a text");
      return otherwise;
    }
    String text = value.stringValue();
    if (text.indexOf('\0') >= 0) {
      wrong(name, "must not contain NUL");
      return otherwise;
    }
    return text;
  }

  /** Reads a whole number of 32 bits that may be absent. */
  public @Nullable Integer integer(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      wrong(name, "must be a whole number");
      return null;
    }
    return value.intValue();
  }

  /** Reads a whole number of 64 bits, as a number or a text, that may be absent. */
  public @Nullable Long number(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    try {
      if (value.isIntegralNumber() && value.canConvertToLong()) {
        return value.longValue();
      }
      if (value.isString()) {
        return Long.valueOf(value.stringValue());
      }
    } catch (NumberFormatException notANumber) {
      // Reported below.
    }
    wrong(name, "must be a whole number");
    return null;
  }

  /** Reads a truth value; false if it is absent. */
  public boolean truth(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return false;
    }
    if (!value.isBoolean()) {
      wrong(name, "must be true or false");
      return false;
    }
    return value.booleanValue();
  }

  /** Reads a time such as 2027-01-01T00:00:00Z that may be absent. */
  public @Nullable Instant instant(String name) {
    return parsed(name, Instant::parse, "must be a time such as 2027-01-01T00:00:00Z");
  }

  /** Reads a duration such as PT5M that may be absent. */
  public @Nullable Duration duration(String name) {
    return parsed(name, Duration::parse, "must be a duration such as PT5M or P1D");
  }

  /** Reads a text in some form that may be absent. */
  public <T> @Nullable T parsed(String name, Function<String, T> parse, String message) {
    String text = textOr(name, null);
    if (text == null) {
      return null;
    }
    try {
      return parse.apply(text);
    } catch (DateTimeException | IllegalArgumentException invalid) {
      wrong(name, message);
      return null;
    }
  }

  /** Reads a name of an enum that may be absent. */
  public <E extends Enum<E>> @Nullable E oneOf(String name, Class<E> type) {
    return parsed(
        name,
        text -> Enum.valueOf(type, text),
        "must be one of " + List.of(type.getEnumConstants()));
  }

  /** Reads a list of texts; empty if it is absent. */
  public List<String> texts(String name) {
    JsonNode value = value(name);
    List<String> texts = new ArrayList<>();
    if (value == null) {
      return texts;
    }
    if (!value.isArray()) {
      wrong(name, "must be a list of texts");
      return texts;
    }
    for (JsonNode element : value) {
      if (!element.isString() || element.stringValue().indexOf('\0') >= 0) {
        wrong(name, "must be a list of texts without NUL");
        return List.of();
      }
      texts.add(element.stringValue());
    }
    return texts;
  }

  /** Notes that a field is missing, if it is. */
  public void require(String name) {
    if (value(name) == null) {
      wrong(name, "is required");
    }
  }

  /** Returns whether a field was sent, even as null. */
  public boolean has(String name) {
    known.add(name);
    return object.has(name);
  }

  /** Reads any JSON; null if it is absent. */
  public @Nullable JsonNode json(String name) {
    return value(name);
  }

  /** Reads an object with fields of any name, each with any JSON; empty if it is absent. */
  public Map<String, JsonNode> map(String name) {
    JsonNode value = value(name);
    Map<String, JsonNode> all = new LinkedHashMap<>();
    if (value instanceof ObjectNode inner) {
      inner.forEachEntry(all::put);
    } else if (value != null) {
      wrong(name, "must be an object");
    }
    return all;
  }

  /** Reads an object; null if it is absent. Its errors are collected here. */
  public @Nullable Fields object(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!(value instanceof ObjectNode inner)) {
      wrong(name, "must be an object");
      return null;
    }
    return new Fields(prefix + name + ".", inner, errors);
  }

  /** Reads a list of objects; empty if it is absent. */
  public List<Fields> objects(String name) {
    JsonNode value = value(name);
    List<Fields> all = new ArrayList<>();
    if (value == null) {
      return all;
    }
    if (!value.isArray()) {
      wrong(name, "must be a list of objects");
      return all;
    }
    for (int i = 0; i < value.size(); i++) {
      String place = "%s[%d]".formatted(name, i);
      if (value.get(i) instanceof ObjectNode inner) {
        all.add(new Fields(prefix + place + ".", inner, errors));
      } else {
        wrong(place, "must be an object");
      }
    }
    return all;
  }

  /** Notes that there are no fields but those that were read. */
  public void noOthers() {
    for (String name : object.propertyNames()) {
      if (!known.contains(name)) {
        wrong(
            name,
            "is not known: "
                + Suggestion.orElse(
                    name, known, known.isEmpty() ? "remove it." : "use one of " + known + "."));
      }
    }
  }

  /**
   * Ends reading.
   *
   * @throws ProblemException if a field is missing, not valid or not known
   */
  public void done() {
    noOthers();
    if (!errors.isEmpty()) {
      throw new ProblemException(
          new Response.Problem(
              Code.INVALID_REQUEST,
              "%d fields are not valid, the first one: %s %s."
                  .formatted(errors.size(), errors.getFirst().field(), errors.getFirst().message()),
              List.copyOf(errors),
              null));
    }
  }
}
