package dev.holdfast.engine.held;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a lane that were claimed for slots that will be free in a moment. Short jobs free
 * their slots sooner than a claim takes, so a node that claimed for free slots only would wait for
 * its own claims most of the time.
 *
 * <p>The store has these jobs as RUNNING, as all jobs between their claim and the first line of
 * their code. A job that has waited for {@link #LONGEST} is handed back without using an attempt:
 * another node may have a free slot for it.
 */
public final class SlotQueue {
  /** How long a job waits at most, although the jobs before it were expected to end sooner. */
  public static final Duration LONGEST = Duration.ofMillis(100);

  private record Waiting(HeldJob heldJob, Moment since) {}

  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();

  public int size() {
    return size.get();
  }

  /** Adds a job. It starts with the next slot that is released. */
  public void add(HeldJob heldJob, Moment now) {
    size.incrementAndGet(); // Before the job: the size is never smaller than what can be polled.
    waiting.add(new Waiting(heldJob, now));
  }

  /** Removes and returns the job that has waited longest; null if none waits. */
  public @Nullable HeldJob poll() {
    Waiting first = waiting.poll();
    if (first == null) {
      return null;
    }
    size.decrementAndGet();
    return first.heldJob;
  }

  /** Removes and returns the jobs that have waited too long at this time. */
  public List<HeldJob> overdue(Moment now) {
    List<HeldJob> overdue = new ArrayList<>();
    Waiting first = waiting.peek();
    while (first != null && !now.isBefore(first.since.plus(LONGEST))) {
      if (waiting.remove(first)) { // Otherwise it has just got a slot.
        size.decrementAndGet();
        overdue.add(first.heldJob);
      }
      first = waiting.peek();
    }
    return overdue;
  }

  /** Removes and returns all jobs. */
  public List<HeldJob> all() {
    List<HeldJob> all = new ArrayList<>();
    HeldJob next = poll();
    while (next != null) {
      all.add(next);
      next = poll();
    }
    return all;
  }
}
