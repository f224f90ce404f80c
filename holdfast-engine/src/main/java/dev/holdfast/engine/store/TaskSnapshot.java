package dev.holdfast.engine.store;

import dev.holdfast.api.task.BreakerState;
import dev.holdfast.api.task.TaskStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A {@link TaskStatus} as a store read it. */
public record TaskSnapshot(
    String task,
    @Nullable Integer limit,
    long ready,
    long held,
    BreakerState breaker,
    @Nullable Instant openUntil)
    implements TaskStatus {}
