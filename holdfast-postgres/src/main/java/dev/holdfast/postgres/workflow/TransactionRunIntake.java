package dev.holdfast.postgres.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.intake.ExternalTransaction;
import dev.holdfast.postgres.notify.TransactionNotice;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Starts runs inside an external transaction. */
final class TransactionRunIntake implements RunIntake {
  private final Database database;
  private final RunStart start;
  private final TransactionNotice notice;
  private final ExternalTransaction transaction;

  TransactionRunIntake(
      Database database,
      RunStart start,
      TransactionNotice notice,
      ExternalTransaction transaction) {
    this.database = database;
    this.start = start;
    this.notice = notice;
    this.transaction = transaction;
  }

  @Override
  public Admission start(NewRun run, @Nullable NewSignal signal, StartHere here) {
    return transaction.join(
        RunStart.operation(run) + " in the caller's transaction",
        connection -> {
          requireSight(connection, run);
          RunStart.Outcome outcome =
              transaction.allOrNothing(c -> start.start(database.handle(c), run, signal));
          notice.post(
              connection,
              outcome.jobs(),
              outcome.jobs().stream()
                  .map(job ->
                      new dev.holdfast.engine.store.Admission(job.id(), Enqueued.Outcome.CREATED))
                  .toList());
          return outcome.admission();
        });
  }

  /**
   * Rejects what needs to see the latest runs if the transaction cannot see them: a run that ended
   * after the snapshot was taken would be started a second time, and a limit would be exceeded.
   */
  private static void requireSight(Connection connection, NewRun run) throws SQLException {
    if ((run.mayExist() || run.content().gate() != null)
        && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
      throw new StoreException(
          StoreException.Outcome.REFUSED,
          "Could not start run %s: this transaction cannot see which runs have started or ended since it started. Use READ COMMITTED for the transaction. Nothing was changed."
              .formatted(run.id()),
          null);
    }
  }
}
