package dev.holdfast.api.job;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A key that prevents duplicate jobs. Keys belong to a task: two tasks can use the same key.
 *
 * @param value the key, 1 to 256 characters
 * @param window how long after the enqueue the key stays taken, even if its job has ended (an
 *     idempotency key); null for a key that is taken until its job has ended (a business key)
 * @param onConflict what an enqueue does if the key is taken
 */
public record UniqueKey(String value, @Nullable Duration window, OnConflict onConflict) {

  /** What an enqueue does if its key is taken. */
  public enum OnConflict {
    /** Returns the existing job and changes nothing. */
    RETURN_EXISTING,
    /**
     * Replaces the payload and options of the existing job if it has not started: it is not
     * claimed, and no attempt or crash counts. Otherwise returns it unchanged.
     */
    REPLACE,
    /** Throws a {@link dev.holdfast.api.DuplicateJobException}. */
    FAIL
  }

  /**
   * Checks the key.
   *
   * @throws IllegalArgumentException if the key or the window is not valid
   */
  public UniqueKey {
    Names.text("Unique key", value);
    window =
        window == null
            ? null
            : Times.positive("A window of unique key '%s'".formatted(value), window);
  }

  /**
   * Returns a business key: at most one job with this key is active at a time, and the key is free
   * again when the job has ended. Conflicts return the existing job.
   */
  public static UniqueKey whileActive(String value) {
    return new UniqueKey(value, null, OnConflict.RETURN_EXISTING);
  }

  /**
   * Returns an idempotency key: at most one job with this key is created within the window, whether
   * or not it has ended. Conflicts return the existing job.
   *
   * @param window how long the key stays taken, counted from the enqueue
   */
  public static UniqueKey within(String value, Duration window) {
    return new UniqueKey(value, window, OnConflict.RETURN_EXISTING);
  }

  /**
   * Returns this key with another rule for conflicts. Defaults to {@link
   * OnConflict#RETURN_EXISTING}.
   */
  public UniqueKey onConflict(OnConflict rule) {
    return new UniqueKey(value, window, rule);
  }
}
