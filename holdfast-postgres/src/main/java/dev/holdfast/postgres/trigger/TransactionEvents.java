package dev.holdfast.postgres.trigger;

import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.postgres.intake.ExternalTransaction;
import dev.holdfast.postgres.intake.TransactionIntake;
import dev.holdfast.postgres.notify.TransactionNotice;
import dev.holdfast.postgres.trigger.EventTransaction.Done;
import java.util.List;

/**
 * Publishes events inside an external transaction. Wakeups are part of the transaction, as for
 * jobs; see {@link TransactionIntake}.
 */
public final class TransactionEvents implements EventIntake {
  private final EventStatements statements;
  private final TransactionNotice notice;
  private final ExternalTransaction transaction;

  public TransactionEvents(
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
          return done.results();
        });
  }
}
