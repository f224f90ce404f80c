package dev.holdfast.api.task;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task with rules of its own, as people look at it.
 *
 * @param task its name
 * @param limit how many of its jobs may be held in the whole cluster; null for no limit
 * @param ready how many of its jobs wait
 * @param held how many of its jobs nodes hold
 * @param breaker what its breaker does
 * @param openUntil from when on the breaker lets a job through; null while it is closed
 */
public record TaskStatus(
    String task,
    @Nullable Integer limit,
    long ready,
    long held,
    BreakerState breaker,
    @Nullable Instant openUntil) {}
