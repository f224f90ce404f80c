package dev.holdfast.bench.harness;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One measured value.
 *
 * @param name a stable name, such as {@code drain.ratio}
 * @param unit the unit; {@code x} for a ratio
 * @param bar the threshold that the value must meet; null if the value is only shown
 */
public record Measure(String name, double value, String unit, @Nullable Bar bar) {

  /** The unit of ratios. */
  public static final String RATIO = "x";

  public static Measure of(String name, double value, String unit) {
    return new Measure(name, value, unit, null);
  }

  public Measure should(Bar reach) {
    return new Measure(name, value, unit, reach);
  }

  /**
   * Returns whether the value meets its bar. A value without a bar always does; NaN never meets
   * one.
   */
  public boolean ok() {
    return bar == null || bar.isMetBy(value);
  }

  /** Returns whether there is a value. */
  public boolean isMeasured() {
    return !Double.isNaN(value);
  }

  /** Returns the value with its significant digits. */
  public String shown() {
    if (!isMeasured()) {
      return "none";
    }
    double size = Math.abs(value);
    String digits = size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, digits, value);
  }
}
