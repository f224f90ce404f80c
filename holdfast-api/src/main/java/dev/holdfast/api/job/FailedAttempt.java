package dev.holdfast.api.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt of a job.
 *
 * @param attempt its number, from 1
 * @param code why it failed, as matched by retry rules; see {@link
 *     dev.holdfast.api.policy.FailureCode}
 * @param type the class name of the exception; null if none was thrown
 * @param message the message of the failure
 * @param stackTrace the top of the stack trace; null if there is none
 * @param node the id of the node it ran on
 * @param startedAt when it started; null if that is not known
 * @param failedAt when the failure was stored
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
