package dev.holdfast.bench.harness;

import java.util.Locale;

/** The threshold that a measured value must meet. */
public sealed interface Bar {

  static Bar atLeast(double limit) {
    return new AtLeast(limit);
  }

  static Bar atMost(double limit) {
    return new AtMost(limit);
  }

  boolean isMetBy(double value);

  /** Returns the bar as text, such as {@code >= 0.50}. */
  String text();

  record AtLeast(double limit) implements Bar {
    @Override
    public boolean isMetBy(double value) {
      return value >= limit;
    }

    @Override
    public String text() {
      return ">= " + shown(limit);
    }
  }

  record AtMost(double limit) implements Bar {
    @Override
    public boolean isMetBy(double value) {
      return value <= limit;
    }

    @Override
    public String text() {
      return "<= " + shown(limit);
    }
  }

  private static String shown(double limit) {
    return limit == Math.rint(limit)
        ? Long.toString((long) limit)
        : String.format(Locale.ROOT, "%.2f", limit);
  }
}
