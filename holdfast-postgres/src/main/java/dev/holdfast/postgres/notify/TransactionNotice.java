package dev.holdfast.postgres.notify;

import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** How others hear of what was written inside a transaction of a caller. */
public interface TransactionNotice {
  /** Not from inside it: the caller knows when it commits, and tells them then. */
  TransactionNotice NONE = (connection, jobs, admissions) -> {};

  /** Announce what was written; what was announced a moment ago, later and outside. */
  void post(Connection connection, List<NewJob> jobs, List<Admission> admissions)
      throws SQLException;
}
