package dev.holdfast.postgres.job;

import dev.holdfast.api.Counts;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jdbi.v3.core.statement.Query;

/**
 * Adds up what statements have counted in each state, up to a bound. Each row of their results is a
 * state, a number, and whether some in this state may have been left out.
 */
public final class BoundedCounts<S extends Enum<S>> {
  /** How many rows may be read for each one that may be counted, to find those that match. */
  private static final int READ_FOR_EACH = 2;

  private final Class<S> type;
  private final long most;
  private final Predicate<S> exact;
  private final Map<S, Long> counts;
  private final Set<S> more;

  /**
   * @param most the maximum number in each state
   * @param exact the states that have no bound
   */
  public BoundedCounts(Class<S> type, int most, Predicate<S> exact) {
    this.type = type;
    this.most = most;
    this.exact = exact;
    this.counts = new EnumMap<>(type);
    this.more = EnumSet.noneOf(type);
  }

  /** Executes a statement whose parameters include how many to count and how many rows to read. */
  public void add(Query query) {
    query
        .bind("most", most)
        .bind("read", most * READ_FOR_EACH)
        .map((row, context) ->
            add(Enum.valueOf(type, row.getString(1)), row.getLong(2), row.getBoolean(3)))
        .list();
  }

  private S add(S state, long number, boolean mayBeMore) {
    long sum = counts.getOrDefault(state, 0L) + number;
    boolean full = sum > most && !exact.test(state);
    counts.put(state, full ? most : sum);
    if (full || mayBeMore) {
      more.add(state);
    }
    return state;
  }

  /** Returns the sums. */
  public Counts<S> read() {
    return new Counts<>(counts, more);
  }
}
