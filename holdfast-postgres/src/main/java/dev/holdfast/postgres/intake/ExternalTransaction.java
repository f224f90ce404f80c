package dev.holdfast.postgres.intake;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Database.Guest;
import dev.holdfast.postgres.db.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Optional;

/** A transaction that the caller started and will end. */
public final class ExternalTransaction {
  private final Database database;
  private final Connection connection;

  /**
   * @param database how to treat external connections
   */
  public ExternalTransaction(Database database, Connection connection) {
    this.database = database;
    this.connection = connection;
  }

  /**
   * Runs work in the transaction.
   *
   * @param operation what is being done, to follow "Could not" in an error message
   */
  public <T> T join(String operation, Guest<T> work) {
    try {
      requireTransaction(operation);
      return database.patiently(connection, work);
    } catch (SQLException failure) {
      throw SqlFailures.during(operation, failure);
    }
  }

  /** Runs a query on the connection of the transaction. */
  <T> T ask(String operation, Guest<T> question) {
    try {
      return database.patiently(connection, question);
    } catch (SQLException failure) {
      throw SqlFailures.during(operation, failure);
    }
  }

  /** Runs work that leaves nothing behind if it fails, even if the caller continues and commits. */
  public <T> T allOrNothing(Guest<T> work) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      T done = work.on(connection);
      connection.releaseSavepoint(before);
      return done;
    } catch (SQLException | RuntimeException failure) {
      try {
        connection.rollback(before);
      } catch (SQLException broken) {
        failure.addSuppressed(broken);
      }
      throw failure;
    }
  }

  /**
   * Rejects caller-supplied ids if the transaction cannot see whether they were used: a job that
   * ended after the snapshot was taken would be created a second time.
   */
  void requireSight(String operation, List<NewJob> jobs) throws SQLException {
    Optional<NewJob> own = jobs.stream().filter(NewJob::mayExist).findFirst();
    if (own.isPresent()
        && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
      throw new StoreException(
          Outcome.REFUSED,
          "Could not %s: job %s has an id that you chose, and this transaction cannot see whether a job with that id has ended since the transaction started. Use READ COMMITTED for the transaction, or give the job a unique key instead of an id. Nothing was changed."
              .formatted(operation, own.get().id()),
          null);
    }
  }

  private void requireTransaction(String operation) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new StoreException(
          Outcome.REFUSED,
          "Could not %s: the connection is in autocommit mode, so there is no transaction to join. Call setAutoCommit(false) first, or make the call without a connection."
              .formatted(operation),
          null);
    }
  }
}
