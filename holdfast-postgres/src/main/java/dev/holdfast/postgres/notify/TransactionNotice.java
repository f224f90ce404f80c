package dev.holdfast.postgres.notify;

import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Announces what was written inside an external transaction. */
public interface TransactionNotice {
  /** Announces nothing inside the transaction, because the caller reports the commit. */
  TransactionNotice NONE = (connection, jobs, admissions) -> {};

  /**
   * Announces what was written. A signal that was announced a moment ago is announced later,
   * outside the transaction.
   */
  void post(Connection connection, List<NewJob> jobs, List<Admission> admissions)
      throws SQLException;
}
