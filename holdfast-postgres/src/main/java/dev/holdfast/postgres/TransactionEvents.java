package dev.holdfast.postgres;

import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.postgres.EventTransaction.Done;
import java.util.List;

/**
 * Events inside a transaction of the caller's own. Wakeups travel inside it, as with jobs; see
 * {@link TransactionIntake}.
 */
final class TransactionEvents implements EventIntake {
  private final EventStatements statements;
  private final TransactionNotice notice;
  private final ExternalTransaction transaction;

  TransactionEvents(
      EventStatements statements, TransactionNotice notice, ExternalTransaction transaction) {
    this.statements = statements;
    this.notice = notice;
    this.transaction = transaction;
  }

  @Override
  public List<Started> publish(String event, Plan plan) {
    return transaction.join(
        "publish event %s in the caller's transaction".formatted(event),
        connection -> {
          Done done =
              transaction.allOrNothing(
                  c -> new EventTransaction(statements, c).publish(event, plan));
          notice.post(connection, done.jobs(), done.admissions());
          return done.answers();
        });
  }
}
