package dev.holdfast.engine.claim;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The numbers of claim calls that are under way. A call whose answer was lost is no longer under
 * way: whatever it claimed shows up at the next beats as rows nobody here knows, and goes back.
 */
public final class ClaimCalls {
  private final AtomicLong last = new AtomicLong();
  private final Set<Long> open = ConcurrentHashMap.newKeySet();

  /** Begin a call. */
  long begin() {
    long number = last.incrementAndGet();
    open.add(number);
    return number;
  }

  /** End a call: its jobs are among the holdings now, or its answer will never come. */
  void end(long number) {
    open.remove(number);
  }

  /**
   * The calls under way. Look here before looking at the holdings, or a call that ends is missed.
   */
  public Set<Long> underWay() {
    return Set.copyOf(open);
  }
}
