package dev.holdfast.api;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list: how many entries, and after which one it starts.
 *
 * <pre>{@code
 * List<Job> newest = holdfast.list(JobFilter.all(), Page.first(50));
 * List<Job> next = holdfast.list(JobFilter.all(), Page.after(newest.getLast().id(), 50));
 * }</pre>
 *
 * @param <K> the type of the key that the list is ordered by, such as the id of a job
 */
public final class Page<K> {
  private static final int LARGEST = 1_000;

  private final @Nullable K after;
  private final int limit;

  private Page(@Nullable K after, int limit) {
    if (limit < 1 || limit > LARGEST) {
      throw new IllegalArgumentException(
          "A page of %d entries is not valid: request 1 to %d.".formatted(limit, LARGEST));
    }
    this.after = after;
    this.limit = limit;
  }

  /**
   * Returns the first page.
   *
   * @param limit the maximum number of entries, 1 to 1000
   */
  public static <K> Page<K> first(int limit) {
    return new Page<>(null, limit);
  }

  /**
   * Returns the page after an entry.
   *
   * @param last the key of the last entry of the previous page
   * @param limit the maximum number of entries, 1 to 1000
   */
  public static <K> Page<K> after(K last, int limit) {
    return new Page<>(last, limit);
  }

  /** Returns the key of the last entry of the previous page; empty for the first page. */
  public Optional<K> after() {
    return Optional.ofNullable(after);
  }

  /** Returns the maximum number of entries. */
  public int limit() {
    return limit;
  }
}
