package dev.holdfast.postgres.intake;

import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Database.Work;
import dev.holdfast.postgres.db.GroupedCalls;
import dev.holdfast.postgres.db.LockPatience;
import dev.holdfast.postgres.db.OutsideTransaction;
import dev.holdfast.postgres.db.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Enqueues jobs, with one transaction for each call. Single jobs that concurrent threads enqueue
 * share a transaction, unless they have a unique key or were sent before.
 */
public final class PgIntake implements Intake {
  private static final int MOST_NAMED = 5;

  private final Database database;
  private final IntakeStatements statements;
  private final OutsideTransaction outside;
  private final GroupedCalls<NewJob, Admission> single;

  public PgIntake(Database database, IntakeStatements statements, OutsideTransaction outside) {
    this.database = database;
    this.statements = statements;
    this.outside = outside;
    this.single = new GroupedCalls<>(NewJob::size, this::insert);
  }

  @Override
  public List<Admission> enqueue(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    outside.check("enqueue");
    List<NewJob> known = jobs;
    if (UniqueEnqueue.isPlain(jobs)) {
      try {
        return jobs.size() == 1 ? List.of(single.call(jobs.getFirst())) : insert(jobs);
      } catch (StoreException refused) {
        if (!SqlFailures.state(refused).equals(SqlFailures.UNIQUE_VIOLATION)) {
          throw refused;
        }
        // An id that was considered new exists already, so this list was sent before.
        known = jobs.stream().map(NewJob::repeated).toList();
      }
    }
    return admit(operation(jobs), known);
  }

  @Override
  public boolean isDeclared(String queue) {
    return database.run(
        "look for queue %s".formatted(queue),
        handle -> statements.isDeclared(handle.getConnection(), queue));
  }

  private static String operation(List<NewJob> jobs) {
    return "enqueue %d jobs".formatted(jobs.size());
  }

  /** Inserts jobs with new ids and without keys, all or none, without looking first. */
  private List<Admission> insert(List<NewJob> jobs) {
    String operation = operation(jobs);
    Work<Set<UUID>> insert =
        handle -> statements.insert(handle.getConnection(), UniqueEnqueue.entries(jobs));
    Set<UUID> late =
        IntakeStatements.fitsOneStatement(jobs)
            ? database.run(operation, insert)
            : database.transaction(operation, insert);
    return jobs.stream()
        .map(job ->
            new Admission(
                job.id(),
                late.contains(job.id().value())
                    ? Enqueued.Outcome.EXISTING
                    : Enqueued.Outcome.CREATED))
        .toList();
  }

  private List<Admission> admit(String operation, List<NewJob> jobs) {
    try {
      return database.transaction(
          operation, handle -> admit(statements, handle.getConnection(), jobs));
    } catch (StoreException failure) {
      if (!SqlFailures.state(failure).equals(SqlFailures.LOCK_NOT_AVAILABLE)) {
        throw failure;
      }
      throw locked(operation, jobs, failure);
    }
  }

  private static KeyLockedException locked(
      String operation, List<NewJob> jobs, StoreException failure) {
    List<String> keys =
        jobs.stream()
            .map(job -> job.unique() == null ? job.id().toString() : job.unique().value())
            .distinct()
            .toList();
    String some = String.join("', '", keys.subList(0, Math.min(keys.size(), MOST_NAMED)));
    return new KeyLockedException(
        "Could not %s within %d s: another transaction that is still open holds %s '%s'%s. Nothing was changed; enqueue again when that transaction has ended, and keep transactions that enqueue short."
            .formatted(
                operation,
                LockPatience.SECONDS,
                keys.size() == 1 ? "unique key" : "one of the unique keys",
                some,
                keys.size() > MOST_NAMED ? " and %d more".formatted(keys.size() - MOST_NAMED) : ""),
        keys,
        failure);
  }

  public static List<Admission> admit(
      IntakeStatements statements, Connection connection, List<NewJob> jobs) throws SQLException {
    return new UniqueEnqueue(statements, connection, jobs.size())
        .admit(UniqueEnqueue.entries(jobs));
  }
}
