package dev.holdfast.testkit.memory;

import dev.holdfast.api.Counts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Counts by state, up to a bound. */
final class BoundedCounts<S extends Enum<S>> {
  private final long most;
  private final Predicate<S> exact;
  private final Map<S, Long> counts = new HashMap<>();
  private final Set<S> more = new HashSet<>();

  BoundedCounts(long most) {
    this(most, state -> false);
  }

  /**
   * @param exact the states that have no bound
   */
  BoundedCounts(long most, Predicate<S> exact) {
    this.most = most;
    this.exact = exact;
  }

  void add(S state) {
    if (counts.getOrDefault(state, 0L) < most || exact.test(state)) {
      counts.merge(state, 1L, Long::sum);
    } else {
      more.add(state);
    }
  }

  Counts<S> read() {
    return new Counts<>(counts, more);
  }
}
