package dev.holdfast.api.job;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A key that lets a job exist once. Keys belong to a task: two tasks may use the same text.
 *
 * @param value the key
 * @param window null for a key that counts while its job is active (a business key); otherwise how
 *     long the key counts from the enqueue on, finished jobs included (an idempotency key)
 * @param onConflict what to do when the key is taken
 */
public record UniqueKey(String value, @Nullable Duration window, OnConflict onConflict) {

  /** What an enqueue does when its key is taken. */
  public enum OnConflict {
    /** Answer with the existing job and change nothing. */
    RETURN_EXISTING,
    /**
     * Give the existing job the new payload and options, as long as it has not started: no node
     * holds it, and no attempt or crash of it counts. Otherwise answer with it unchanged.
     */
    REPLACE,
    /** Refuse, with a {@link dev.holdfast.api.DuplicateJobException}. */
    FAIL
  }

  public UniqueKey {
    Names.text("Unique key", value);
    window =
        window == null
            ? null
            : Times.positive("A window of unique key '%s'".formatted(value), window);
  }

  /** One job of this key at a time: the key is free again when its job has ended. */
  public static UniqueKey whileActive(String value) {
    return new UniqueKey(value, null, OnConflict.RETURN_EXISTING);
  }

  /** One job of this key within the window, whether or not it has ended. */
  public static UniqueKey within(String value, Duration window) {
    return new UniqueKey(value, window, OnConflict.RETURN_EXISTING);
  }

  /** The same key with another answer to conflicts. */
  public UniqueKey onConflict(OnConflict answer) {
    return new UniqueKey(value, window, answer);
  }
}
