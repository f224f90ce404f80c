package dev.holdfast.testkit.memory;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Why a queue is paused, and since when. */
record Pause(@Nullable String reason, Instant since) {}
