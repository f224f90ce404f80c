package dev.holdfast.postgres.rule;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.postgres.db.Database;

/**
 * Marks jobs that are already held, so that they count towards a limit that was just set. It locks
 * the limit first, as claims do: {@link HeldCount} relies on ascending numbers.
 *
 * <p>Jobs are locked in the order of ids, as in every statement that writes many. But a group of
 * attempts with several outcomes is written one kind after another, so a deadlock is still
 * possible. By then the limit is set and would count too few jobs. So the backfill is repeated,
 * which does no harm.
 */
final class LimitBackfill {
  private static final int MOST_TRIES = 5;

  private final Database database;
  private final String lock;
  private final String mark;

  /**
   * @param lock locks the limit of the queue or task {@code :name}
   * @param mark marks its held jobs
   */
  LimitBackfill(Database database, String lock, String mark) {
    this.database = database;
    this.lock = database.sql(lock);
    this.mark = database.sql(mark);
  }

  /** Marks the held jobs of a queue or task. */
  void of(String name) {
    for (int tries = 1; !isMarked(name, tries); tries++) {}
  }

  private boolean isMarked(String name, int tries) {
    try {
      database.transaction(
          "count the held jobs of %s towards its limit".formatted(name),
          handle -> {
            handle.createQuery(lock).bind("name", name).mapTo(Integer.class).list();
            return handle.createUpdate(mark).bind("name", name).execute();
          });
      return true;
    } catch (StoreException failure) {
      if (failure.outcome() == Outcome.REFUSED || tries >= MOST_TRIES) {
        throw failure;
      }
      return false;
    }
  }
}
