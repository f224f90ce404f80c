package dev.holdfast.server.audit;

import org.jspecify.annotations.Nullable;

/**
 * The caller of an operation, and where the call comes from.
 *
 * @param tenant the tenant that is acted in; null for the installation
 * @param key the id of the key; null for the server itself
 */
public record Actor(
    @Nullable String tenant,
    @Nullable String key,
    @Nullable String keyName,
    @Nullable String address,
    @Nullable String request) {

  /** The server itself. */
  public static final Actor SERVER = new Actor(null, null, null, null, null);

  /** Returns this actor in a tenant. */
  public Actor in(@Nullable String otherTenant) {
    return new Actor(otherTenant, key, keyName, address, request);
  }
}
