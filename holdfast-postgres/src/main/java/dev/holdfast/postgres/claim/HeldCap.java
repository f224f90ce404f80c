package dev.holdfast.postgres.claim;

import dev.holdfast.postgres.db.Database;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a schema all nodes together may hold. Only schemas with a limit pay for it:
 * their claims run one at a time, and each counts.
 */
final class HeldCap {
  // Held until the end of the transaction. The count is a later statement, whose snapshot is newer.
  private static final String LOCK =
      "select 1 from (select pg_advisory_xact_lock(hashtextextended(:name, 0))) l";

  // By job_held, which has the held jobs only.
  private static final String COUNT =
      """
      select count(*) from (
        select from ${schema}.job where state in ('CLAIMED', 'RUNNING') limit :most) held
      """;

  private final Supplier<@Nullable Integer> most;
  private final String name;
  private final String count;

  /**
   * @param most the limit at present; null for none
   */
  HeldCap(Database database, Supplier<@Nullable Integer> most) {
    this.most = most;
    this.name = database.schema() + ".max_held";
    this.count = database.sql(COUNT);
  }

  /** Returns the limit at present; null for none. */
  @Nullable Integer most() {
    return most.get();
  }

  /** Returns how many more jobs may be held until the transaction ends. */
  int room(Handle transaction, int limit) {
    int unused = transaction.createQuery(LOCK).bind("name", name).mapTo(Integer.class).one();
    return limit - transaction.createQuery(count).bind("most", limit).mapTo(Integer.class).one();
  }
}
