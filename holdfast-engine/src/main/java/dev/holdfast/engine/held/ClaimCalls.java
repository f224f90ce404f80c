package dev.holdfast.engine.held;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Numbers claim calls and tracks their state. Jobs of a call whose reply was lost show up at the
 * next heartbeat as claims that this node does not know, and are returned.
 */
public final class ClaimCalls {
  /** How long a call may still be executed after its caller gave up: longer than any timeout. */
  private static final Duration LATEST = Duration.ofMinutes(10);

  private final Set<Long> open = new HashSet<>();
  private final Map<Long, Moment> lost = new HashMap<>();
  private long last;

  /**
   * The state of the calls at some moment.
   *
   * @param last the number of the latest call that had started
   * @param underWay the calls that had started and not ended
   * @param oldest the oldest call whose result was not known
   */
  public record Seen(long last, Set<Long> underWay, long oldest) {

    /** Returns whether this call can add no more held jobs. */
    public boolean wasOver(long number) {
      return number <= last && !underWay.contains(number);
    }
  }

  /** Starts a call and returns its number. */
  public synchronized long start() {
    open.add(++last);
    return last;
  }

  /** Ends a call whose result is known: its jobs are now among the held jobs. */
  public synchronized void end(long number) {
    open.remove(number);
  }

  /** Ends a call whose reply was lost: it may have been executed, or may still be. */
  public synchronized void lose(long number, Moment now) {
    open.remove(number);
    lost.put(number, now.plus(LATEST));
  }

  /**
   * Returns the current state. Call this before reading the held jobs, or the jobs of a call that
   * ends in between are missed.
   */
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

  /** Returns whether no call is under way, and the result of every call is known. */
  public synchronized boolean areSettled() {
    return open.isEmpty() && lost.isEmpty();
  }

  /**
   * Forgets the lost calls that can bring no more jobs: a heartbeat that was sent at this time got
   * a reply, and the reply contained no unknown jobs.
   */
  public synchronized void nothingFound(Moment sent) {
    lost.values().removeIf(until -> until.isBefore(sent));
  }
}
