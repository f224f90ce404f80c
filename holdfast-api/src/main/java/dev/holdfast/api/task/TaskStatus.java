package dev.holdfast.api.task;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a task that has a limit or a circuit breaker.
 *
 * <p>Holdfast implements this interface, and later versions may add methods to it.
 */
public interface TaskStatus {
  /** Returns the name of the task. */
  String task();

  /**
   * Returns how many of its jobs may be claimed or running in the whole cluster; null for no limit.
   */
  @Nullable Integer limit();

  /** Returns how many of its jobs are ready. */
  long ready();

  /** Returns how many of its jobs are claimed or running. */
  long held();

  /** Returns the state of its circuit breaker. */
  BreakerState breaker();

  /** Returns when the circuit breaker lets a trial job start; null while it is closed. */
  @Nullable Instant openUntil();
}
