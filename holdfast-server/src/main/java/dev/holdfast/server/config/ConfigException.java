package dev.holdfast.server.config;

import dev.holdfast.api.HoldfastException;

/** Thrown when the configuration is not valid. The message names the value and the remedy. */
public final class ConfigException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }
}
