package dev.holdfast.postgres.schedule;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.ScheduleStore.FireOrder;
import dev.holdfast.engine.store.ScheduleStore.FireReport;
import dev.holdfast.engine.store.ScheduleStore.Firing;
import dev.holdfast.engine.store.ScheduleStore.Settled;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.intake.KeyRequest;
import dev.holdfast.postgres.intake.PgIntake;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Fires a schedule in one transaction. The guarded update comes first: its row lock admits one of
 * many nodes, and the others find the row locked or changed.
 */
final class ScheduleFiring {
  // By schedule_pkey. A row that another node has locked is being fired or changed there and is
  // skipped.
  private static final String MOVE_ON =
      """
      update ${schema}.schedule
      set next_fire = :next, last_fire = :last, retry_at = null,
          revision = nextval('${schema}.schedule_number')
      where id = (
        select id from ${schema}.schedule
        where id = :id and revision = :revision and next_fire = :seen and not paused
          and not cancelled
        for update skip locked)
      """;

  private final Database database;
  private final IntakeStatements intake;
  private final String moveOn;

  ScheduleFiring(Database database, IntakeStatements intake) {
    this.database = database;
    this.intake = intake;
    this.moveOn = database.sql(MOVE_ON);
  }

  FireReport fire(FireOrder order) {
    return database.transaction(
        "fire schedule %s".formatted(order.seen().plan().id()), handle -> fire(handle, order));
  }

  private FireReport fire(Handle handle, FireOrder order) throws SQLException {
    if (!moveOn(handle, order)) {
      return new FireReport(Settled.LOST, List.of());
    }
    Set<UUID> first = takeOnceKeys(handle, order.firings());
    List<NewJob> jobs =
        order.firings().stream()
            .map(Firing::job)
            .filter(job -> first.contains(job.id().value()))
            .toList();
    List<Admission> admissions =
        jobs.isEmpty() ? List.of() : PgIntake.admit(intake, handle.getConnection(), jobs);
    List<JobId> created =
        admissions.stream()
            .filter(admission -> admission.outcome() == Enqueued.Outcome.CREATED)
            .map(Admission::id)
            .toList();
    boolean queues = order.seen().plan().recurrence().overlap() == Overlap.QUEUE;
    if (queues && created.size() < jobs.size()) {
      handle.rollback();
      return new FireReport(Settled.BLOCKED, List.of());
    }
    return new FireReport(Settled.FIRED, created);
  }

  private boolean moveOn(Handle handle, FireOrder order) {
    return handle
            .createUpdate(moveOn)
            .bind("id", order.seen().plan().id())
            .bind("revision", order.seen().revision())
            .bind("seen", ScheduleColumns.at(order.seen().draft().nextFire()))
            .bind("last", ScheduleColumns.at(order.last()))
            .bind("next", ScheduleColumns.at(order.next()))
            .execute()
        == 1;
  }

  /** Inserts due times into the ledger and returns the jobs for which that was new. */
  private Set<UUID> takeOnceKeys(Handle handle, List<Firing> firings) throws SQLException {
    if (firings.isEmpty()) {
      return Set.of();
    }
    List<KeyRequest> keyed =
        firings.stream()
            .map(firing ->
                new KeyRequest(
                    firing.job().id().value(), firing.job().content().task(), firing.once()))
            .toList();
    return intake.keys().takeLedgerKeys(handle.getConnection(), keyed);
  }
}
