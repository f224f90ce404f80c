package dev.holdfast.postgres.schedule;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.schedule.Misfire;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore.Declared;
import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** Converts schedules to and from columns. */
final class ScheduleColumns {
  /** The columns that {@link #read} reads. */
  static final String LIST =
      """
      s.id, s.revision, s.cancelled, s.last_fire, s.paused, s.anchor, s.next_fire, s.application,
      s.fingerprint, s.timing, s.misfire, s.overlap, s.jitter, s.starts_at, s.ends_at, s.task,
      s.queue, s.priority, s.payload, s.tags, s.policy, s.start_within, s.stack
      """;

  private ScheduleColumns() {}

  /**
   * Reads a row.
   *
   * @throws StoreException if this program cannot read it; another may be able to
   */
  static Kept read(ResultSet row) throws SQLException {
    try {
      return kept(row);
    } catch (IllegalArgumentException unknown) {
      throw new StoreException(
          StoreException.Outcome.REFUSED,
          "Schedule '%s' cannot be read here: %s Leave it to a program that can read it, or cancel it and create it again."
              .formatted(row.getString("id"), unknown.getMessage()),
          unknown);
    }
  }

  private static Kept kept(ResultSet row) throws SQLException {
    String application = row.getString("application");
    Draft draft =
        new Draft(
            plan(row),
            application == null ? null : new Declared(application, row.getString("fingerprint")),
            row.getBoolean("paused"),
            SqlValues.instant(row, row.findColumn("anchor")),
            time(row, "next_fire"));
    return new Kept(
        draft, row.getLong("revision"), row.getBoolean("cancelled"), time(row, "last_fire"));
  }

  private static SchedulePlan plan(ResultSet row) throws SQLException {
    Long startWithin = row.getObject("start_within", Long.class);
    return new SchedulePlan(
        row.getString("id"),
        new Recurrence(
            Timing.parse(row.getString("timing")),
            Misfire.parse(row.getString("misfire")),
            Overlap.valueOf(row.getString("overlap")),
            SqlValues.ofMicros(row.getLong("jitter")),
            time(row, "starts_at"),
            time(row, "ends_at")),
        new SchedulePlan.JobTemplate(
            row.getString("task"),
            row.getString("queue"),
            row.getInt("priority"),
            row.getString("payload"),
            SqlValues.strings(row, row.findColumn("tags")),
            row.getString("policy"),
            startWithin == null ? null : SqlValues.ofMicros(startWithin),
            row.getString("stack")));
  }

  private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
    return SqlValues.instantOrNull(row, row.findColumn(column));
  }

  static <S extends SqlStatement<S>> S bind(S statement, Draft draft) {
    SchedulePlan plan = draft.plan();
    Recurrence recurrence = plan.recurrence();
    SchedulePlan.JobTemplate job = plan.job();
    Declared declared = draft.declared();
    Duration startWithin = job.startWithin();
    return statement
        .bind("id", plan.id())
        .bind("anchor", at(draft.anchor()))
        .bind("next", at(draft.nextFire()))
        .bind("starts", at(recurrence.from()))
        .bind("ends", at(recurrence.until()))
        .bind("jitter", SqlValues.micros(recurrence.jitter()))
        .bind("startWithin", SqlValues.microsOrNull(startWithin))
        .bind("priority", job.priority())
        .bind("paused", draft.paused())
        .bind("timing", recurrence.timing().toString())
        .bind("misfire", recurrence.misfire().toString())
        .bind("overlap", recurrence.overlap().name())
        .bind("queue", job.queue())
        .bind("task", job.task())
        .bind("payload", job.payload())
        .bind("policy", job.policy())
        .bind("stack", job.stack())
        .bind("tags", SqlValues.arrayText(job.tags()))
        .bind("application", declared == null ? null : declared.application())
        .bind("fingerprint", declared == null ? null : declared.fingerprint());
  }

  static @Nullable OffsetDateTime at(@Nullable Instant time) {
    return time == null ? null : time.atOffset(ZoneOffset.UTC);
  }
}
