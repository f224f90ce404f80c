package dev.holdfast.cli.connect;

import org.jspecify.annotations.Nullable;

/**
 * A server, and the key to use there.
 *
 * @param tenant the tenant to act in; null for the one that the key contains
 */
public record Profile(String url, String key, @Nullable String tenant) {

  @Override
  public String toString() {
    return "%s, %s".formatted(url, KeyName.of(key));
  }
}
