package dev.holdfast.bench.harness;

import java.util.Arrays;
import java.util.Collection;

/** Medians and other quantiles. */
public final class Quantiles {

  private Quantiles() {}

  /** Returns the middle value, or the mean of the middle two. */
  public static double median(Collection<Double> values) {
    double[] sorted = sorted(values);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the smallest value that at least this share of the values does not exceed. */
  public static double of(Collection<Double> values, double share) {
    double[] sorted = sorted(values);
    return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }

  private static double[] sorted(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("There are no values to take a quantile of.");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
