/**
 * What happens if an attempt fails or its node dies.
 *
 * <ul>
 *   <li>{@link dev.holdfast.api.policy.RetryPolicy} and {@link dev.holdfast.api.policy.Backoff}:
 *       how often a failed job is retried, and how long it waits before
 *   <li>{@link dev.holdfast.api.policy.CrashPolicy}: what happens to a job whose node died while it
 *       was running
 *   <li>{@link dev.holdfast.api.policy.CircuitBreaker}: when to stop a task that keeps failing
 *   <li>{@link dev.holdfast.api.policy.FailureCode}: why attempts fail, as matched by retry rules
 * </ul>
 *
 * <p>All types are immutable values that are checked when they are created.
 */
@NullMarked
package dev.holdfast.api.policy;

import org.jspecify.annotations.NullMarked;
