package dev.holdfast.engine.claim;

import dev.holdfast.engine.held.HeldJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Jobs of a lane that are held and not begun, in order. */
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

  /** Take out those that are not to be started. */
  synchronized List<HeldJob> takeIf(Predicate<HeldJob> unwanted) {
    List<HeldJob> taken = waiting.stream().filter(unwanted).toList();
    waiting.removeAll(taken);
    return taken;
  }

  /** Put back in front what could not be started. */
  synchronized void putBack(List<HeldJob> heldJobs) {
    for (int i = heldJobs.size() - 1; i >= 0; i--) {
      waiting.addFirst(heldJobs.get(i));
    }
  }
}
