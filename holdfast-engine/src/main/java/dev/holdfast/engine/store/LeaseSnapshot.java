package dev.holdfast.engine.store;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A {@link LeaseInfo} as a store read it. */
public record LeaseSnapshot(
    String key,
    LeaseState state,
    String holder,
    long fencingToken,
    int attempt,
    Instant acquiredAt,
    Duration remaining,
    @Nullable Instant endedAt,
    @Nullable String detail)
    implements LeaseInfo {}
