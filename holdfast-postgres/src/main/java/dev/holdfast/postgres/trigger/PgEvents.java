package dev.holdfast.postgres.trigger;

import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.LockPatience;
import dev.holdfast.postgres.db.OutsideTransaction;
import dev.holdfast.postgres.db.SqlFailures;
import java.util.List;

/** Publishes events, with one transaction for each call. */
public final class PgEvents implements EventIntake {
  private final Database database;
  private final EventStatements statements;
  private final OutsideTransaction outside;

  public PgEvents(Database database, EventStatements statements, OutsideTransaction outside) {
    this.database = database;
    this.statements = statements;
    this.outside = outside;
  }

  @Override
  public List<Started> publish(String event, Plan plan) {
    outside.check("publish");
    try {
      return database.transaction(
          "publish event %s".formatted(event),
          handle ->
              new EventTransaction(statements, handle.getConnection())
                  .publish(event, plan)
                  .results());
    } catch (StoreException failure) {
      if (!SqlFailures.state(failure).equals(SqlFailures.LOCK_NOT_AVAILABLE)) {
        throw failure;
      }
      throw new KeyLockedException(
          "Could not publish event %s within %d s: another transaction that is still open has published an event of the same subject or payload. Nothing was changed; publish again when that transaction has ended, and keep transactions that publish short."
              .formatted(event, LockPatience.SECONDS),
          List.of(),
          failure);
    }
  }
}
