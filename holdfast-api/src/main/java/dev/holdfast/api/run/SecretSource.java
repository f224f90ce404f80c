package dev.holdfast.api.run;

import java.util.Optional;

/**
 * Where the secrets of handlers come from, such as a vault. A server has one for each tenant; an
 * embedded node has the one that it is configured with.
 *
 * <p>It is called each time a handler asks for a secret, on the thread of the handler, so it should
 * remember for a while what it has read.
 */
@FunctionalInterface
public interface SecretSource {

  /**
   * Finds a secret.
   *
   * @return its value; empty if there is none with this name
   * @throws SecretUnavailableException if there may be one, but it cannot be read
   */
  Optional<String> find(String name);
}
