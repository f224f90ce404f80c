package dev.holdfast.bench.harness;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Measures several sides in turns: first a warm-up of each, which does not count, then rounds whose
 * order is reversed every other time, so that no side gains from always being first.
 *
 * @param <T> the result of one turn
 */
public final class Rounds<T> {
  private final int count;
  private final Consumer<String> progress;
  private final Map<String, Callable<T>> sides = new LinkedHashMap<>();
  private final Map<String, List<T>> found = new LinkedHashMap<>();
  private boolean warmsUp = true;

  public Rounds(int count, Consumer<String> progress) {
    this.count = count;
    this.progress = progress;
  }

  public Rounds<T> side(String name, Callable<T> turn) {
    sides.put(name, turn);
    return this;
  }

  /** Omits the warm-up, for sides that start new processes in each round. */
  public Rounds<T> withoutWarmUp() {
    warmsUp = false;
    return this;
  }

  public Rounds<T> run() throws Exception {
    List<String> order = new ArrayList<>(sides.keySet());
    for (String side : warmsUp ? List.copyOf(order) : List.<String>of()) {
      progress.accept("warm-up of " + side);
      turn(side);
    }
    for (int round = 1; round <= count; round++) {
      for (String side : order) {
        progress.accept("round %d of %d, %s".formatted(round, count, side));
        found.computeIfAbsent(side, fresh -> new ArrayList<>()).add(turn(side));
      }
      Collections.reverse(order);
    }
    return this;
  }

  private T turn(String side) throws Exception {
    Callable<T> turn = sides.get(side);
    if (turn == null) {
      throw new IllegalArgumentException("There is no side '" + side + "'.");
    }
    return turn.call();
  }

  /** Returns the median of a side; NaN if it did not run. */
  public double median(String side, ToDoubleFunction<T> what) {
    return of(side).isEmpty()
        ? Double.NaN
        : Quantiles.median(of(side).stream().map(what::applyAsDouble).toList());
  }

  /** Returns the median over all rounds of one side divided by another; NaN if one did not run. */
  public double ratio(String side, String other, ToDoubleFunction<T> what) {
    List<T> ones = of(side);
    List<T> others = of(other);
    if (ones.isEmpty() || others.isEmpty()) {
      return Double.NaN;
    }
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < ones.size(); i++) {
      ratios.add(what.applyAsDouble(ones.get(i)) / what.applyAsDouble(others.get(i)));
    }
    return Quantiles.median(ratios);
  }

  private List<T> of(String side) {
    return found.getOrDefault(side, List.of());
  }
}
