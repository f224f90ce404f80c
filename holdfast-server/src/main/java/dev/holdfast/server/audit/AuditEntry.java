package dev.holdfast.server.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the audit log.
 *
 * @param tenant the tenant that was acted in; null for the installation
 * @param key the id of the key that acted; null for the server itself
 * @param address where the request came from
 * @param request the id of the request
 * @param action what was done, such as {@code queue.pause}
 * @param target what it was done to
 * @param before the state before, as JSON; null if there was none
 * @param after the state after, as JSON; null if there is none
 * @param outcome {@code DONE}, {@code STARTED} if the outcome is not known, or the code of the
 *     problem that refused it
 */
public record AuditEntry(
    long id,
    Instant at,
    @Nullable String tenant,
    @Nullable String key,
    @Nullable String keyName,
    @Nullable String address,
    @Nullable String request,
    String action,
    @Nullable String target,
    @Nullable String before,
    @Nullable String after,
    String outcome) {}
