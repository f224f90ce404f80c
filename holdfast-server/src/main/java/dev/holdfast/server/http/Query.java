package dev.holdfast.server.http;

import dev.holdfast.api.internal.Suggestion;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of a query. {@link #done} fails if one is not known. */
public final class Query {
  private static final int MOST = 50;

  private final Map<String, List<String>> values;
  private final Set<String> known = new TreeSet<>();

  private Query(Map<String, List<String>> values) {
    this.values = values;
  }

  static Query parse(@Nullable String text) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    if (text != null && !text.isEmpty()) {
      for (String pair : text.split("&", -1)) {
        if (pair.isEmpty()) {
          continue;
        }
        int equals = pair.indexOf('=');
        String name =
            Percent.decode((equals < 0 ? pair : pair.substring(0, equals)).replace('+', ' '));
        String value =
            equals < 0 ? "" : Percent.decode(pair.substring(equals + 1).replace('+', ' '));
        values.computeIfAbsent(name, any -> new ArrayList<>()).add(value);
        if (values.size() > MOST || values.getOrDefault(name, List.of()).size() > MOST) {
          throw Code.INVALID_REQUEST.because("The query has too many parameters.");
        }
      }
    }
    return new Query(values);
  }

  /** Returns the parameters that select entries, in a form that does not depend on their order. */
  String selection() {
    Map<String, List<String>> sorted = new java.util.TreeMap<>(values);
    sorted.remove("cursor");
    sorted.remove("limit");
    return sorted.toString();
  }

  /** Returns all values of a parameter, which may also be separated by commas. */
  public List<String> all(String name) {
    known.add(name);
    return values.getOrDefault(name, List.of()).stream()
        .flatMap(value -> List.of(value.split(",")).stream())
        .filter(value -> !value.isEmpty())
        .toList();
  }

  /** Returns a parameter; null if it is absent. */
  public @Nullable String text(String name) {
    known.add(name);
    List<String> given = values.getOrDefault(name, List.of());
    if (given.size() > 1) {
      throw Code.INVALID_REQUEST.because("Parameter '%s' is given twice.", name);
    }
    return given.isEmpty() ? null : given.getFirst();
  }

  /** Returns a time; null if it is absent. */
  public @Nullable Instant instant(String name) {
    return parsed(name, Instant::parse, "a time such as 2027-01-01T00:00:00Z");
  }

  /** Returns a truth value; false if it is absent. */
  public boolean truth(String name) {
    String text = text(name);
    if (text == null || text.equals("false")) {
      return false;
    }
    if (text.equals("true")) {
      return true;
    }
    throw invalid(name, text, "true or false");
  }

  /** Returns a whole number in a range; the default if it is absent. */
  public int integer(String name, int least, int most, int otherwise) {
    Integer value =
        parsed(name, Integer::valueOf, "a whole number from %d to %d".formatted(least, most));
    if (value == null) {
      return otherwise;
    }
    if (value < least || value > most) {
      throw invalid(name, value.toString(), "a whole number from %d to %d".formatted(least, most));
    }
    return value;
  }

  /** Returns the names of an enum. */
  public <E extends Enum<E>> Set<E> anyOf(String name, Class<E> type) {
    Set<E> found = java.util.EnumSet.noneOf(type);
    for (String text : all(name)) {
      try {
        found.add(Enum.valueOf(type, text.toUpperCase(java.util.Locale.ROOT)));
      } catch (IllegalArgumentException unknown) {
        throw invalid(name, text, "one of " + List.of(type.getEnumConstants()));
      }
    }
    return found;
  }

  /** Returns a parameter in some form; null if it is absent. */
  public <T> @Nullable T parsed(String name, Function<String, T> parse, String form) {
    String text = text(name);
    if (text == null) {
      return null;
    }
    try {
      return parse.apply(text);
    } catch (DateTimeException | IllegalArgumentException wrong) {
      throw invalid(name, text, form);
    }
  }

  private static ProblemException invalid(String name, String value, String form) {
    return Code.INVALID_REQUEST.because(
        "Parameter '%s' cannot be '%s': give %s.", name, value, form);
  }

  /**
   * Ends reading.
   *
   * @throws ProblemException if a parameter is not known
   */
  public void done() {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw Code.INVALID_REQUEST.because(
            "Parameter '%s' is not known: %s",
            name,
            Suggestion.orElse(
                name,
                known,
                known.isEmpty() ? "the route has none." : "use one of " + known + "."));
      }
    }
  }
}
