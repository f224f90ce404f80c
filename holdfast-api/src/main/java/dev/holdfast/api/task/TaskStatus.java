package dev.holdfast.api.task;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a task that has a limit or a circuit breaker.
 *
 * @param task the name of the task
 * @param limit how many of its jobs may be claimed or running in the whole cluster; null for no
 *     limit
 * @param ready how many of its jobs are ready
 * @param held how many of its jobs are claimed or running
 * @param breaker the state of its circuit breaker
 * @param openUntil when the circuit breaker lets a trial job start; null while it is closed
 */
public record TaskStatus(
    String task,
    @Nullable Integer limit,
    long ready,
    long held,
    BreakerState breaker,
    @Nullable Instant openUntil) {}
