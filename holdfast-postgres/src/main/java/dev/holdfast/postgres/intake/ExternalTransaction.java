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

/** A transaction that somebody else began and will end. */
public final class ExternalTransaction {
  private final Database database;
  private final Connection connection;

  /**
   * @param database how connections of others are treated
   */
  public ExternalTransaction(Database database, Connection connection) {
    this.database = database;
    this.connection = connection;
  }

  /**
   * Do something in it.
   *
   * @param operation what is being done, as it follows "could not" in a message
   */
  public <T> T join(String operation, Guest<T> work) {
    try {
      requireTransaction(operation);
      return database.patiently(connection, work);
    } catch (SQLException failure) {
      throw SqlFailures.during(operation, failure);
    }
  }

  /** Read something over its connection. */
  <T> T ask(String operation, Guest<T> question) {
    try {
      return database.patiently(connection, question);
    } catch (SQLException failure) {
      throw SqlFailures.during(operation, failure);
    }
  }

  /** What fails half way must leave nothing behind if the caller decides to go on and commit. */
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
   * Refuse ids of the caller's own where the transaction cannot see whether they were used: a job
   * that ended since its snapshot was taken would be there a second time.
   */
  void requireSight(String operation, List<NewJob> jobs) throws SQLException {
    Optional<NewJob> own = jobs.stream().filter(NewJob::mayExist).findFirst();
    if (own.isPresent()
        && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
      throw new StoreException(
          Outcome.REFUSED,
          "Could not %s: job %s has an id of your own, and this transaction does not see whether such a job has ended since it began. Begin it as READ COMMITTED, or give the job a unique key instead of an id. Nothing was changed."
              .formatted(operation, own.get().id()),
          null);
    }
  }

  private void requireTransaction(String operation) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new StoreException(
          Outcome.REFUSED,
          "Could not %s: the connection is in autocommit mode, so there is no transaction to join. Call setAutoCommit(false) first, or do it without a connection."
              .formatted(operation),
          null);
    }
  }
}
