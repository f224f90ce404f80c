package dev.holdfast.engine.claim;

import java.util.HashSet;
import java.util.Set;

/**
 * The numbers of claim calls, and which of them are under way. A call whose answer was lost is no
 * longer under way: whatever it claimed shows up at the next beat as rows nobody here knows, and
 * goes back.
 */
public final class ClaimCalls {
  private final Set<Long> open = new HashSet<>();
  private long last;

  /**
   * The calls that were over at some moment.
   *
   * @param last the number of the latest call that had begun
   * @param underWay those that had begun and not ended
   */
  public record Seen(long last, Set<Long> underWay) {

    /** Whether the jobs of this call were among the holdings, or would never be. */
    public boolean wasOver(long number) {
      return number <= last && !underWay.contains(number);
    }
  }

  /** Begin a call. */
  synchronized long begin() {
    open.add(++last);
    return last;
  }

  /** End a call: its jobs are among the holdings now, or its answer will never come. */
  synchronized void end(long number) {
    open.remove(number);
  }

  /**
   * See which calls are over. Look here before looking at the holdings, or a call that ends is
   * missed.
   */
  public synchronized Seen look() {
    return new Seen(last, Set.copyOf(open));
  }
}
