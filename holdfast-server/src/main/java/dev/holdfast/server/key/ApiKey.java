package dev.holdfast.server.key;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stored key, without its secret.
 *
 * @param tenant the name of its tenant; null for a key of the installation
 * @param createdBy the id of the key that created it; null if the server did
 * @param expiresAt when it stops working; null for never
 * @param revokedAt when it was revoked; null if it was not
 * @param replacedBy the id of the key that a rotation created for it; null for none
 * @param lastUsed when it was used last, to the minute; null if it was not
 */
public record ApiKey(
    String id,
    @Nullable String tenant,
    String name,
    Set<Attribute> attributes,
    List<String> tasks,
    List<String> workflows,
    Instant createdAt,
    @Nullable String createdBy,
    @Nullable Instant expiresAt,
    @Nullable Instant revokedAt,
    @Nullable String replacedBy,
    @Nullable Instant lastUsed) {

  /** Returns whether the key works at this time. */
  public boolean isValid(Instant now) {
    return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
  }

  Caller caller() {
    return new Caller(id, name, tenant, attributes, tasks, workflows);
  }
}
