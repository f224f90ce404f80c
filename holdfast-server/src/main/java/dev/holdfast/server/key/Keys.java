package dev.holdfast.server.key;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The keys that a server accepts. */
public interface Keys {

  /**
   * Identifies a caller.
   *
   * @param presented the key as presented; null if none was
   * @param tenant the tenant that the request is for; null if it is for none
   * @return the caller; empty if the key is not valid for this tenant, whatever the reason
   */
  Optional<Caller> authenticate(@Nullable String presented, @Nullable String tenant);

  /**
   * Returns whether a key that was authenticated is still valid.
   *
   * @param id the id of the key
   * @param tenant the tenant that it is used in; null for none
   */
  boolean isValid(String id, @Nullable String tenant);
}
