package dev.holdfast.api;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How many jobs or runs there are in each state. Counting stops at a bound, so that it is cheap
 * however many there are; {@link #more} names the states in which it did.
 *
 * <pre>{@code
 * Counts<JobState> counts = holdfast.count(JobFilter.all().queue("mail"));
 * long ready = counts.of(JobState.READY);
 * boolean atLeast = counts.more().contains(JobState.READY);
 * }</pre>
 *
 * @param <S> the type of the states
 * @param byState the numbers; states that have none are missing
 * @param more the states whose number is a lower bound, because not all were looked at
 */
public record Counts<S extends Enum<S>>(Map<S, Long> byState, Set<S> more) {

  /** Copies the numbers and the states, in the order of the states. */
  public Counts {
    TreeMap<S, Long> found = new TreeMap<>(byState);
    found.values().removeIf(number -> number == 0);
    byState = Collections.unmodifiableMap(found);
    more = Collections.unmodifiableSet(new TreeSet<>(more));
  }

  /** Returns the number in a state: a lower bound if {@link #more} contains the state. */
  public long of(S state) {
    return byState.getOrDefault(state, 0L);
  }

  /** Returns the number in all states: a lower bound unless {@link #isExact}. */
  public long total() {
    return byState.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns whether all were counted. */
  public boolean isExact() {
    return more.isEmpty();
  }
}
