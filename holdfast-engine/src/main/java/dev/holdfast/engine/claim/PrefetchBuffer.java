package dev.holdfast.engine.claim;

import dev.holdfast.engine.held.HeldJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The prefetched jobs of a lane: claimed, not started, in order. */
final class PrefetchBuffer {
  private final ArrayDeque<HeldJob> waiting = new ArrayDeque<>();

  synchronized void add(HeldJob heldJob) {
    waiting.add(heldJob);
  }

  synchronized int size() {
    return waiting.size();
  }

  synchronized List<HeldJob> take(int most) {
    List<HeldJob> taken = new ArrayList<>();
    while (taken.size() < most && !waiting.isEmpty()) {
      taken.add(waiting.remove());
    }
    return taken;
  }

  synchronized void drop(Predicate<HeldJob> unwanted) {
    waiting.removeIf(unwanted);
  }

  /** Removes and returns the jobs that must not be started. */
  synchronized List<HeldJob> takeIf(Predicate<HeldJob> unwanted) {
    List<HeldJob> taken = waiting.stream().filter(unwanted).toList();
    waiting.removeAll(taken);
    return taken;
  }

  /** Puts jobs that could not be started back to the front. */
  synchronized void putBack(List<HeldJob> heldJobs) {
    for (int i = heldJobs.size() - 1; i >= 0; i--) {
      waiting.addFirst(heldJobs.get(i));
    }
  }
}
