package dev.holdfast.postgres.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.postgres.db.SqlFailures;
import java.util.function.Supplier;

/**
 * Repeats a transaction that the server rolled back to resolve a deadlock. Locks are taken in one
 * order, but an advance that stops child runs has locked the other runs of its batch before.
 */
final class Deadlocks {
  private static final String DEADLOCK = "40P01";
  private static final int MOST_TRIES = 5;

  private Deadlocks() {}

  static <T> T repeat(Supplier<T> transaction) {
    for (int tries = 1; ; tries++) {
      try {
        return transaction.get();
      } catch (StoreException failure) {
        if (!SqlFailures.state(failure).equals(DEADLOCK) || tries >= MOST_TRIES) {
          throw failure;
        }
      }
    }
  }
}
