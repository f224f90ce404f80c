package dev.holdfast.engine.claim;

import dev.holdfast.engine.run.Holding;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Jobs of a lane that are held and not begun, in order. */
final class Prefetched {
  private final ArrayDeque<Holding> waiting = new ArrayDeque<>();

  synchronized void add(Holding holding) {
    waiting.add(holding);
  }

  synchronized int size() {
    return waiting.size();
  }

  synchronized List<Holding> take(int most) {
    List<Holding> taken = new ArrayList<>();
    while (taken.size() < most && !waiting.isEmpty()) {
      taken.add(waiting.remove());
    }
    return taken;
  }

  synchronized void drop(Predicate<Holding> unwanted) {
    waiting.removeIf(unwanted);
  }

  /** Take out those that are not to be started. */
  synchronized List<Holding> takeIf(Predicate<Holding> unwanted) {
    List<Holding> taken = waiting.stream().filter(unwanted).toList();
    waiting.removeAll(taken);
    return taken;
  }

  /** Put back in front what could not be started. */
  synchronized void putBack(List<Holding> holdings) {
    for (int i = holdings.size() - 1; i >= 0; i--) {
      waiting.addFirst(holdings.get(i));
    }
  }
}
