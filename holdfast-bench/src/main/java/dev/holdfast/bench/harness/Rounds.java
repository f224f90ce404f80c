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

  public Rounds(int count, Consumer<String> progress) {
    this.count = count;
    this.progress = progress;
  }

  public Rounds<T> side(String name, Callable<T> turn) {
    sides.put(name, turn);
    return this;
  }

  public Rounds<T> run() throws Exception {
    List<String> order = new ArrayList<>(sides.keySet());
    for (String side : order) {
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

  /** Returns the median of a side. */
  public double median(String side, ToDoubleFunction<T> what) {
    return Quantiles.median(of(side).stream().map(what::applyAsDouble).toList());
  }

  /** Returns the median over all rounds of one side divided by another. */
  public double ratio(String side, String other, ToDoubleFunction<T> what) {
    List<T> ones = of(side);
    List<T> others = of(other);
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
