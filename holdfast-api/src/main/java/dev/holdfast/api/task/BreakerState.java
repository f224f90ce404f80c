package dev.holdfast.api.task;

/**
 * The state of the {@linkplain dev.holdfast.api.policy.CircuitBreaker circuit breaker} of a task.
 */
public enum BreakerState {
  /** Jobs of the task are started as usual. */
  CLOSED,
  /** No jobs of the task are started until the pause is over. */
  OPEN,
  /** One trial job was started; its outcome closes the breaker or opens it again. */
  HALF_OPEN
}
