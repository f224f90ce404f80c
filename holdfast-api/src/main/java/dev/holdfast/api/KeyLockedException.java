package dev.holdfast.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An enqueue gave up waiting for its unique key: another transaction has enqueued a job with the
 * same key and is still open, so nobody knows yet whether that job will exist. Nothing was changed.
 *
 * <p>It is not repeated automatically, since the wait was long already. Enqueue again when the
 * other transaction has ended; to wait less often, keep transactions that enqueue short, and
 * enqueue at their end.
 */
public final class KeyLockedException extends StoreException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> keys;

  /**
   * @param keys the unique keys of the enqueue, of which at least one is locked
   */
  public KeyLockedException(String message, List<String> keys, @Nullable Throwable cause) {
    super(Outcome.RETRYABLE, message, cause);
    this.keys = List.copyOf(keys);
  }

  /** The unique keys of the enqueue, of which at least one is locked; empty for an event. */
  public List<String> keys() {
    return keys;
  }
}
