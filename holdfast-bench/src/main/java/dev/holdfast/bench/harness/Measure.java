package dev.holdfast.bench.harness;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One number that a bench found.
 *
 * @param name what it is, such as {@code drain.ratio}; names are stable
 * @param unit what it counts; {@code x} for a ratio
 * @param bar what it should reach; null where it is only shown
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
   * Whether it reaches its bar; one without a bar always does. A number that is none never does.
   */
  public boolean ok() {
    return bar == null || bar.isMetBy(value);
  }

  /** Whether there is a number at all. */
  public boolean isMeasured() {
    return !Double.isNaN(value);
  }

  /** The value with as many digits as mean something. */
  public String shown() {
    if (!isMeasured()) {
      return "none";
    }
    double size = Math.abs(value);
    String digits = size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, digits, value);
  }
}
