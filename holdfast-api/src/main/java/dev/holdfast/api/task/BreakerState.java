package dev.holdfast.api.task;

/** What a breaker does. */
public enum BreakerState {
  /** It lets everything through. */
  CLOSED,
  /** It lets nothing through until its time is over. */
  OPEN,
  /** It has let one job through, and waits for how that ends. */
  HALF_OPEN
}
