package dev.holdfast.server.config;

import java.util.Locale;

/**
 * A key of the configuration.
 *
 * @param name its name, such as {@code database.url}; in YAML, the part before the dot is an object
 * @param standard its default, as text; empty for none
 * @param secret whether its value is never printed
 */
record Key(String name, String standard, boolean secret, String meaning) {

  static Key of(String name, String standard, String meaning) {
    return new Key(name, standard, false, meaning);
  }

  static Key secret(String name, String meaning) {
    return new Key(name, "", true, meaning);
  }

  /**
   * Returns its variable, such as {@code HOLDFAST_DATABASE_URL}. Keys of {@code otel} have the
   * standard variables of OpenTelemetry.
   */
  String variable() {
    return (name.startsWith("otel.") ? "" : "HOLDFAST_")
        + name.replaceAll("([a-z])([A-Z])", "$1_$2").replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
