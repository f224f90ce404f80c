package dev.holdfast.testkit.memory;

import dev.holdfast.engine.rule.BreakerTransition;
import dev.holdfast.engine.store.TaskStore.Rule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The row of a task: its limit and circuit breaker. */
record TaskRow(@Nullable Integer limit, BreakerTransition circuit) {
  static final TaskRow NONE = new TaskRow(null, BreakerTransition.CLOSED);

  /** Returns whether its jobs may be claimed only by requests that respect its rules. */
  boolean isBarred() {
    return limit != null || !circuit.isClosed();
  }

  TaskRow limited(@Nullable Integer most) {
    return new TaskRow(most, circuit);
  }

  TaskRow with(BreakerTransition other) {
    return new TaskRow(limit, other);
  }

  Rule rule(Instant now) {
    return new Rule(limit, circuit.shut(now));
  }
}
