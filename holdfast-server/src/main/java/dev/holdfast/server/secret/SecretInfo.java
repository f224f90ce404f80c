package dev.holdfast.server.secret;

import java.time.Instant;

/**
 * What is shown of a secret.
 *
 * @param keyId the key that encrypts it
 * @param version how often it was set
 */
public record SecretInfo(
    String name, String keyId, long version, Instant createdAt, Instant updatedAt) {}
