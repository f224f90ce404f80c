package dev.holdfast.engine.codec;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Replaces secrets in texts: as they are, as JSON, percent-encoded and in Base64, and each long
 * line of those with several. What is hidden once stays hidden: a handler may still have it.
 */
public final class Redactor {
  /** What stands for a secret. */
  public static final String HIDDEN = "***";

  /** Shorter lines are too common to be replaced wherever they occur. */
  private static final int SHORTEST_LINE = 8;

  private static final JsonMapper JSON = new JsonMapper();

  private final Set<String> values = new TreeSet<>();

  /** Longest first: a secret may contain another one. */
  private volatile String[] forms = {};

  /** Hides a value from now on. */
  public void hide(String value) {
    if (value.isEmpty()) {
      return;
    }
    synchronized (values) {
      if (values.add(value)) {
        forms =
            values.stream()
                .flatMap(Redactor::formsOf)
                .filter(form -> !form.isEmpty())
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toArray(String[]::new);
      }
    }
  }

  private static Stream<String> formsOf(String value) {
    Stream<String> parts =
        Stream.concat(
            Stream.of(value), value.lines().filter(line -> line.length() >= SHORTEST_LINE));
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return Stream.concat(
        parts.flatMap(
            part -> Stream.of(part, inJson(part), URLEncoder.encode(part, StandardCharsets.UTF_8))),
        Stream.of(
            Base64.getEncoder().encodeToString(bytes),
            Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)));
  }

  private static String inJson(String value) {
    String quoted = JSON.writeValueAsString(value);
    return quoted.substring(1, quoted.length() - 1);
  }

  /** Returns whether there is anything to hide. */
  public boolean isActive() {
    return forms.length > 0;
  }

  /** Returns the text without the values. */
  public String redact(String text) {
    String clean = text;
    for (String form : forms) {
      if (clean.contains(form)) {
        clean = clean.replace(form, HIDDEN);
      }
    }
    return clean;
  }

  /** Returns the text without the values; null if there is none. */
  public @Nullable String redactOrNull(@Nullable String text) {
    return text == null ? null : redact(text);
  }

  /**
   * Returns an encoded output without the values. If it was JSON, it still is: a secret that is a
   * number, or that spans several fields, hides the whole output.
   */
  public String redactOutput(String text) {
    String clean = redact(text);
    return clean.equals(text) || isJson(clean) || !isJson(text) ? clean : "\"" + HIDDEN + "\"";
  }

  private static boolean isJson(String text) {
    try {
      return !JSON.readTree(text).isMissingNode();
    } catch (JacksonException broken) {
      return false;
    }
  }
}
