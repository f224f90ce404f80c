package dev.holdfast.api.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt that did not succeed.
 *
 * @param attempt its number, from 1
 * @param code why, in one word that retry rules can match
 * @param type the class of what was thrown, for people to read, if anything was
 * @param message what it said
 * @param stackTrace the top of the stack trace
 * @param node the node it ran on
 * @param startedAt when it was started
 * @param failedAt when the failure was written
 */
public record FailedAttempt(
    int attempt,
    String code,
    @Nullable String type,
    String message,
    @Nullable String stackTrace,
    String node,
    @Nullable Instant startedAt,
    Instant failedAt) {}
