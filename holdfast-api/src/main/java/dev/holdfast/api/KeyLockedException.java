package dev.holdfast.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by an enqueue that waited too long for its unique key: another transaction has enqueued a
 * job with the same key and is still open, so it is not known yet whether that job will exist.
 * Nothing was changed.
 *
 * <p>The enqueue is not repeated automatically, because it has already waited for a long time.
 * Enqueue again when the other transaction has ended. To avoid such waits, keep transactions that
 * enqueue short, and enqueue at their end.
 */
public final class KeyLockedException extends StoreException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> keys;

  /**
   * Creates the exception.
   *
   * @param keys the unique keys of the enqueue, at least one of which is locked; empty for an event
   */
  public KeyLockedException(String message, List<String> keys, @Nullable Throwable cause) {
    super(Outcome.RETRYABLE, message, cause);
    this.keys = List.copyOf(keys);
  }

  /**
   * Returns the unique keys of the enqueue, at least one of which is locked; empty for an event.
   */
  public List<String> keys() {
    return keys;
  }
}
