package dev.holdfast.postgres.trigger;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.store.EventIntake.Start;
import dev.holdfast.engine.trigger.SubjectState;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.IntakeStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements for events, in addition to those for new jobs, on any connection. */
public final class EventStatements {
  // By event_trigger_event. One index read for each event, so that a trigger that was put, paused
  // or removed counts from the next event on; triggers are not cached in memory.
  private static final String LISTENING =
      """
      ${patience}select id, definition from ${schema}.event_trigger ${patiently}
      where event = ? and not paused order by id
      """;

  // By trigger_subject_pkey. Changes nothing if the row exists, and locks it in either case.
  private static final String LOCK_SUBJECT =
      """
      insert into ${schema}.trigger_subject as s (trigger_id, subject, forget_at)
      values (?, ?, statement_timestamp())
      on conflict (trigger_id, subject) do update set forget_at = s.forget_at
      """;

  // By trigger_subject_pkey. After the lock, in a separate statement: a statement that waited for a
  // lock has the time and the row from before the wait.
  private static final String READ_SUBJECT =
      """
      select job_id, since, fires_at, ledger_key, statement_timestamp()
      from ${schema}.trigger_subject where trigger_id = ? and subject = ?
      """;

  // By trigger_subject_pkey. The row is locked by this transaction.
  private static final String REMEMBER =
      """
      update ${schema}.trigger_subject
      set job_id = ?, ledger_key = ?, since = ?::timestamptz, fires_at = ?::timestamptz,
          forget_at = ?::timestamptz
      where trigger_id = ? and subject = ?
      """;

  // By job_pkey. Only a job that was never claimed and is not due yet is still in its debounce
  // delay. Its token does not tell: it starts above 0 after a restore.
  private static final String POSTPONE =
      """
      update ${schema}.job j
      set payload = ?, ledger_key = ?, run_at = t.run_at, rank = j.rank + (t.run_at - j.run_at)
      from (select ?::timestamptz as run_at) t
      where j.id = ? and j.task = ? and j.claim_no is null and j.state = 'SCHEDULED'
        and j.run_at > statement_timestamp()
      """;

  // By unique_ledger_pkey. The previous payload of the job no longer counts as started.
  private static final String RELEASE_KEY =
      """
      delete from ${schema}.unique_ledger
      where task = ? and key = ? and job_id = ? and key <> ?
      """;

  // By unique_ledger_pkey.
  private static final String TAKE_KEY =
      """
      insert into ${schema}.unique_ledger as l (task, key, job_id, expires_at)
      values (?, ?, ?, ?::timestamptz)
      on conflict (task, key) do update
        set job_id = excluded.job_id, expires_at = excluded.expires_at
        where l.job_id = excluded.job_id or l.expires_at <= statement_timestamp()
      """;

  /**
   * What is stored about a subject, and the time of the database.
   *
   * @param key the key of the payload that its job carries
   */
  record Subject(SubjectState state, @Nullable String key, Instant now) {}

  private final Database database;
  private final IntakeStatements intake;
  private final ReadableTriggers readable = new ReadableTriggers();
  private final String listening;
  private final String lockSubject;
  private final String readSubject;
  private final String remember;
  private final String postpone;
  private final String releaseKey;
  private final String takeKey;

  public EventStatements(Database database, IntakeStatements intake) {
    this.database = database;
    this.intake = intake;
    this.listening = database.sql(intake.patience().in(LISTENING));
    this.lockSubject = database.sql(LOCK_SUBJECT);
    this.readSubject = database.sql(READ_SUBJECT);
    this.remember = database.sql(REMEMBER);
    this.postpone = database.sql(POSTPONE);
    this.releaseKey = database.sql(RELEASE_KEY);
    this.takeKey = database.sql(TAKE_KEY);
  }

  /** Returns the statements for new jobs. */
  IntakeStatements intake() {
    return intake;
  }

  /** Returns the triggers, ordered by id, that listen to an event and can be read here. */
  List<Trigger> listening(Connection c, String event) throws SQLException {
    List<Trigger> triggers = new ArrayList<>();
    try (PreparedStatement statement = database.prepare(c, listening)) {
      statement.setString(1, event);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          readable.read(rows.getString(1), rows.getString(2)).ifPresent(triggers::add);
        }
      }
    }
    return triggers;
  }

  /** Locks a subject, so that no other transaction decides about its events until this one ends. */
  void lock(Connection c, String trigger, String subject) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, lockSubject)) {
      statement.setString(1, trigger);
      statement.setString(2, subject);
      statement.executeUpdate();
    }
  }

  /** Reads a subject that this transaction has locked. */
  Subject read(Connection c, String trigger, String subject) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, readSubject)) {
      statement.setString(1, trigger);
      statement.setString(2, subject);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          throw new IllegalStateException(
              "Subject %s of trigger %s is locked but does not exist.".formatted(subject, trigger));
        }
        UUID job = rows.getObject(1, UUID.class);
        return new Subject(
            new SubjectState(
                job == null ? null : new JobId(job),
                SqlValues.instantOrNull(rows, 2),
                SqlValues.instantOrNull(rows, 3)),
            rows.getString(4),
            SqlValues.instant(rows, 5));
      }
    }
  }

  /** Stores which job belongs to a subject that this transaction has locked. */
  void remember(Connection c, Start start, String subject, SubjectState state, Duration matters)
      throws SQLException {
    Instant firesAt = require(state.firesAt());
    try (PreparedStatement statement = database.prepare(c, remember)) {
      statement.setObject(1, require(state.job()).value());
      statement.setString(2, require(start.job().unique()).value());
      statement.setString(3, require(state.since()).toString());
      statement.setString(4, firesAt.toString());
      statement.setString(5, firesAt.plus(matters).toString());
      statement.setString(6, start.trigger());
      statement.setString(7, subject);
      statement.executeUpdate();
    }
  }

  /** Replaces the payload and the time of a debounced job, unless it is already due or claimed. */
  boolean postpone(Connection c, Start start, JobId job, Instant firesAt) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, postpone)) {
      statement.setString(1, start.job().content().payload());
      statement.setString(2, require(start.job().unique()).value());
      statement.setString(3, firesAt.toString());
      statement.setObject(4, job.value());
      statement.setString(5, start.job().content().task());
      return statement.executeUpdate() > 0;
    }
  }

  /** Moves the key of a debounced job to the payload that it carries now. */
  void moveKey(Connection c, Start start, JobId job, @Nullable String from, Instant firesAt)
      throws SQLException {
    String key = require(start.job().unique()).value();
    if (from != null) {
      try (PreparedStatement statement = database.prepare(c, releaseKey)) {
        statement.setString(1, start.job().content().task());
        statement.setString(2, from);
        statement.setObject(3, job.value());
        statement.setString(4, key);
        statement.executeUpdate();
      }
    }
    try (PreparedStatement statement = database.prepare(c, takeKey)) {
      statement.setString(1, start.job().content().task());
      statement.setString(2, key);
      statement.setObject(3, job.value());
      statement.setString(
          4, firesAt.plus(require(require(start.job().unique()).window())).toString());
      statement.executeUpdate();
    }
  }

  private static <T> T require(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException(
          "The start of a trigger must have a key, and its subject a state");
    }
    return value;
  }
}
