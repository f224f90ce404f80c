package dev.holdfast.server.http;

import dev.holdfast.server.key.Attribute;
import dev.holdfast.server.key.Caller;
import org.jspecify.annotations.Nullable;

/** What a caller needs in order to use a route. */
public enum Permission {
  /** Nothing, not even a key. */
  PUBLIC(null),
  /** A valid key; for a route of a tenant, one that is valid there. */
  READ(null),
  /** A key that can execute. */
  EXECUTE(Attribute.CAN_EXECUTE),
  /**
   * A key that can work. The handlers of these routes hold the tenant themselves, for the part that
   * may give it work: a worker may wait long for a job.
   */
  WORK(Attribute.CAN_WORK),
  /** A key that can upload packages. */
  UPLOAD(Attribute.CAN_UPLOAD),
  /** A key that can operate. */
  OPERATE(Attribute.CAN_OPERATE),
  /** A key that can manage keys. */
  MANAGE_KEYS(Attribute.CAN_MANAGE_KEYS),
  /** A key of the installation. */
  ADMIN(null);

  private final @Nullable Attribute attribute;

  Permission(@Nullable Attribute attribute) {
    this.attribute = attribute;
  }

  /** Returns what the caller lacks, as the end of a sentence; null if nothing. */
  @Nullable String missing(Caller caller) {
    if (this == ADMIN && !caller.isAdmin()) {
      return "a key of the installation";
    }
    return attribute == null || caller.has(attribute)
        ? null
        : "a key with the attribute " + attribute.text();
  }
}
