package dev.holdfast.server.key;

import dev.holdfast.api.internal.Suggestion;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a key may do besides reading. */
public enum Attribute {
  /** Enqueue jobs, start runs, publish events, send signals, store schedules and triggers. */
  CAN_EXECUTE,
  /** Work as a remote worker: claim jobs with their payloads, and report how they ended. */
  CAN_WORK,
  /** Upload packages. */
  CAN_UPLOAD,
  /** Create, rotate and revoke keys of the tenant, and change its settings. */
  CAN_MANAGE_KEYS,
  /** Pause, resume, retry, cancel, purge and limit work, no matter which key started it. */
  CAN_OPERATE,
  /** See payloads, results, inputs, outputs, log lines and stack traces. */
  CAN_READ_PAYLOADS;

  /** Returns the name in the form that {@link #parse} reads. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Parses a name such as {@code can_execute}.
   *
   * @throws IllegalArgumentException if there is no such attribute
   */
  public static Attribute parse(String text) {
    return Arrays.stream(values())
        .filter(attribute -> attribute.text().equals(text))
        .findFirst()
        .orElseThrow(() -> unknown("Attribute", text, names()));
  }

  private static List<String> names() {
    return Arrays.stream(values()).map(Attribute::text).toList();
  }

  /**
   * Returns the attributes of a preset: {@code viewer}, {@code operator}, {@code developer}, {@code
   * worker} or {@code admin}.
   *
   * @throws IllegalArgumentException if there is no such preset
   */
  public static Set<Attribute> preset(String name) {
    return switch (name) {
      case "viewer" -> EnumSet.noneOf(Attribute.class);
      case "operator" -> EnumSet.of(CAN_OPERATE, CAN_READ_PAYLOADS);
      case "developer" -> EnumSet.of(CAN_EXECUTE, CAN_WORK, CAN_UPLOAD, CAN_READ_PAYLOADS);
      case "worker" -> EnumSet.of(CAN_WORK);
      case "admin" -> EnumSet.allOf(Attribute.class);
      default ->
          throw unknown(
              "Preset", name, List.of("viewer", "operator", "developer", "worker", "admin"));
    };
  }

  private static IllegalArgumentException unknown(String what, String text, List<String> known) {
    return new IllegalArgumentException(
        "%s '%s' does not exist: %s"
            .formatted(
                what,
                text,
                Suggestion.orElse(
                    text, known, "give one of %s.".formatted(String.join(", ", known)))));
  }
}
