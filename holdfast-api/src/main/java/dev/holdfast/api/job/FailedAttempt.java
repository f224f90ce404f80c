package dev.holdfast.api.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt of a job.
 *
 * <p>Holdfast implements this interface, and later versions may add methods to it.
 */
public interface FailedAttempt {
  /** Returns its number, from 1. */
  int attempt();

  /**
   * Returns why it failed, as matched by retry rules; see {@link
   * dev.holdfast.api.policy.FailureCode}.
   */
  String code();

  /** Returns the class name of the exception; null if none was thrown. */
  @Nullable String type();

  /** Returns the message of the failure. */
  String message();

  /** Returns the top of the stack trace; null if there is none. */
  @Nullable String stackTrace();

  /** Returns the id of the node it ran on. */
  String node();

  /** Returns when it started; null if that is not known. */
  @Nullable Instant startedAt();

  /** Returns when the failure was stored. */
  Instant failedAt();
}
