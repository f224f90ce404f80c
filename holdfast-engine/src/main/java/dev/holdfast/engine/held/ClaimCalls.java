package dev.holdfast.engine.held;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The numbers of claim calls, and what is known of them. Whatever a call claimed whose answer was
 * lost shows up at the next beat as rows nobody here knows, and goes back.
 */
public final class ClaimCalls {
  /** How long a call may still be carried out after its caller gave up: longer than any timeout. */
  private static final Duration LATEST = Duration.ofMinutes(10);

  private final Set<Long> open = new HashSet<>();
  private final Map<Long, Moment> lost = new HashMap<>();
  private long last;

  /**
   * What was known of the calls at some moment.
   *
   * @param last the number of the latest call that had begun
   * @param underWay those that had begun and not ended
   * @param oldest the oldest whose answer was not known
   */
  public record Seen(long last, Set<Long> underWay, long oldest) {

    /** Whether the jobs of this call were among the holdings, or would never be. */
    public boolean wasOver(long number) {
      return number <= last && !underWay.contains(number);
    }
  }

  /** Begin a call. */
  public synchronized long begin() {
    open.add(++last);
    return last;
  }

  /** End a call whose answer is known: its jobs are among the holdings now. */
  public synchronized void end(long number) {
    open.remove(number);
  }

  /** End a call whose answer was lost: it may have been carried out, or may be yet. */
  public synchronized void lose(long number, Moment now) {
    open.remove(number);
    lost.put(number, now.plus(LATEST));
  }

  /** See what is known. Look here before looking at the holdings, or a call that ends is missed. */
  public synchronized Seen look() {
    long oldest = last + 1;
    if (!open.isEmpty()) {
      oldest = Math.min(oldest, Collections.min(open));
    }
    if (!lost.isEmpty()) {
      oldest = Math.min(oldest, Collections.min(lost.keySet()));
    }
    return new Seen(last, Set.copyOf(open), oldest);
  }

  /**
   * Forget the lost calls that nothing can come of any more: a beat that was sent at this time was
   * answered, and brought no jobs that nobody knows.
   */
  public synchronized void nothingFound(Moment sent) {
    lost.values().removeIf(until -> until.isBefore(sent));
  }
}
