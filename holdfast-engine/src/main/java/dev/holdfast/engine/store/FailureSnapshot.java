package dev.holdfast.engine.store;

import dev.holdfast.api.job.FailedAttempt;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A {@link FailedAttempt} as a store read it. */
public record FailureSnapshot(
    int attempt,
    String code,
    @Nullable String type,
    String message,
    @Nullable String stackTrace,
    String node,
    @Nullable Instant startedAt,
    Instant failedAt)
    implements FailedAttempt {}
