package dev.holdfast.postgres;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Failures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** New jobs, each call a transaction of its own. */
final class PgIntake implements Intake {
  private final Database database;
  private final IntakeStatements statements;

  PgIntake(Database database, IntakeStatements statements) {
    this.database = database;
    this.statements = statements;
  }

  @Override
  public List<Admission> enqueue(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    String operation = "enqueue %d jobs".formatted(jobs.size());
    if (AdmissionDesk.isPlain(jobs)) {
      try {
        return database.run(operation, handle -> insert(handle.getConnection(), jobs));
      } catch (StoreException refused) {
        if (!Failures.state(refused).equals(Failures.UNIQUE_VIOLATION)) {
          throw refused;
        }
        // An id that was thought fresh is known after all; nothing was written.
      }
    }
    return database.transaction(
        operation, handle -> admit(statements, handle.getConnection(), jobs));
  }

  /** The short way for fresh ids without keys: one statement, all or none by itself. */
  private List<Admission> insert(Connection connection, List<NewJob> jobs) throws SQLException {
    statements.insert(connection, AdmissionDesk.entries(jobs));
    return jobs.stream().map(job -> new Admission(job.id(), Admission.Answer.CREATED)).toList();
  }

  static List<Admission> admit(
      IntakeStatements statements, Connection connection, List<NewJob> jobs) throws SQLException {
    return new AdmissionDesk(statements, connection, jobs.size())
        .admit(AdmissionDesk.entries(jobs));
  }
}
