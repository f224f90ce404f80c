package dev.holdfast.cli.connect;

import java.util.Optional;

/**
 * Reads the parts of a key that are not secret: {@code holdfast_<env>_<tenant>_<keyid>_<secret>}.
 */
public final class KeyName {
  private static final int PARTS = 5;
  private static final String INSTALLATION = "admin";

  private KeyName() {}

  /** Returns the key without its secret. */
  public static String of(String key) {
    String[] parts = key.split("_", -1);
    return parts.length == PARTS
        ? "%s_%s_%s_%s_…".formatted(parts[0], parts[1], parts[2], parts[3])
        : "(not a key)";
  }

  /** Returns the tenant of a key; empty for a key of the installation. */
  static Optional<String> tenant(String key) {
    String[] parts = key.split("_", -1);
    return parts.length == PARTS && !parts[2].equals(INSTALLATION)
        ? Optional.of(parts[2])
        : Optional.empty();
  }
}
