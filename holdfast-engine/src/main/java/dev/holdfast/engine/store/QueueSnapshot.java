package dev.holdfast.engine.store;

import dev.holdfast.api.job.QueueStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A {@link QueueStatus} as a store read it. */
public record QueueSnapshot(
    String name,
    boolean paused,
    @Nullable String pauseReason,
    @Nullable Instant pausedAt,
    @Nullable Integer limit,
    long ready,
    long held,
    long scheduled,
    Duration oldestReady,
    boolean moreReady,
    boolean moreHeld,
    boolean moreScheduled)
    implements QueueStatus {}
