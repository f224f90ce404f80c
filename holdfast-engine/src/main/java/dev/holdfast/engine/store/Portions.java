package dev.holdfast.engine.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Divides data to be written into portions that fit into one statement: bounded by number and by
 * size, since a thousand values of a megabyte each do not fit where a thousand small ones do.
 */
public final class Portions {
  /** How many characters one statement carries. A larger single value is sent alone. */
  public static final long LARGEST = 8L << 20;

  private Portions() {}

  /**
   * Returns how many of the first elements form a portion: at least one, unless the list is empty.
   */
  public static <T> int first(List<T> all, int most, long largest, ToLongFunction<T> size) {
    long sum = 0;
    int count = 0;
    while (count < all.size() && count < most) {
      sum += size.applyAsLong(all.get(count));
      if (sum > largest && count > 0) {
        break;
      }
      count++;
    }
    return count;
  }

  /** Returns the whole list, divided into portions, in its order. */
  public static <T> List<List<T>> of(List<T> all, int most, ToLongFunction<T> size) {
    List<List<T>> portions = new ArrayList<>();
    List<T> rest = all;
    while (!rest.isEmpty()) {
      int count = first(rest, most, LARGEST, size);
      portions.add(rest.subList(0, count));
      rest = rest.subList(count, rest.size());
    }
    return portions;
  }
}
