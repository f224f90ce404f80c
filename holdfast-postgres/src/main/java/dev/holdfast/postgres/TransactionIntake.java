package dev.holdfast.postgres;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.db.Failures;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;

/**
 * New jobs inside a transaction of the caller's own.
 *
 * <p>Nobody tells us when it commits, so the wakeup travels inside it, as a NOTIFY that the
 * database delivers with the commit. Such a commit takes a lock that the whole database shares,
 * which is why only so many a second carry one; the jobs of the others are found by those that were
 * woken.
 */
final class TransactionIntake implements Intake {
  private final IntakeStatements statements;
  private final TransactionNotice notice;
  private final Connection connection;

  TransactionIntake(IntakeStatements statements, TransactionNotice notice, Connection connection) {
    this.statements = statements;
    this.notice = notice;
    this.connection = connection;
  }

  @Override
  public List<Admission> enqueue(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    String operation = "enqueue %d jobs in the caller's transaction".formatted(jobs.size());
    try {
      requireTransaction(operation);
      List<Admission> admissions =
          AdmissionDesk.isPlain(jobs)
              ? PgIntake.admit(statements, connection, jobs)
              : admitOrUndo(jobs);
      notice.post(connection, jobs, admissions);
      return admissions;
    } catch (SQLException failure) {
      throw Failures.during(operation, failure);
    }
  }

  /** What fails half way must leave nothing behind if the caller decides to go on and commit. */
  private List<Admission> admitOrUndo(List<NewJob> jobs) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      List<Admission> admissions = PgIntake.admit(statements, connection, jobs);
      connection.releaseSavepoint(before);
      return admissions;
    } catch (SQLException | RuntimeException failure) {
      try {
        connection.rollback(before);
      } catch (SQLException broken) {
        failure.addSuppressed(broken);
      }
      throw failure;
    }
  }

  private void requireTransaction(String operation) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new StoreException(
          Outcome.REFUSED,
          "Could not %s: the connection is in autocommit mode, so there is no transaction to join. Call setAutoCommit(false) first, or enqueue without a connection."
              .formatted(operation),
          null);
    }
  }
}
