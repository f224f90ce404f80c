package dev.holdfast.postgres.intake;

import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.notify.TransactionNotice;
import java.util.List;

/**
 * Enqueues jobs inside an external transaction.
 *
 * <p>If the caller does not report the commit, the wakeup is part of the transaction: a NOTIFY that
 * the database delivers with the commit. Such a commit takes a lock that the whole database shares,
 * so the number of transactions with a NOTIFY is limited per second. For the jobs of the others,
 * this process sends a few notifications later. If a transaction stays open for more than ten
 * seconds after its enqueue, its jobs may have to wait for a poll.
 */
public final class TransactionIntake implements Intake {
  private final IntakeStatements statements;
  private final TransactionNotice notice;
  private final ExternalTransaction transaction;

  public TransactionIntake(
      IntakeStatements statements, TransactionNotice notice, ExternalTransaction transaction) {
    this.statements = statements;
    this.notice = notice;
    this.transaction = transaction;
  }

  @Override
  public List<Admission> enqueue(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    String operation = "enqueue %d jobs in the caller's transaction".formatted(jobs.size());
    return transaction.join(
        operation,
        connection -> {
          transaction.requireSight(operation, jobs);
          List<Admission> admissions =
              UniqueEnqueue.isPlain(jobs)
                  ? PgIntake.admit(statements, connection, jobs)
                  : transaction.allOrNothing(c -> PgIntake.admit(statements, c, jobs));
          notice.post(connection, jobs, admissions);
          return admissions;
        });
  }

  @Override
  public boolean isDeclared(String queue) {
    return transaction.ask(
        "look for queue %s".formatted(queue), c -> statements.isDeclared(c, queue));
  }
}
