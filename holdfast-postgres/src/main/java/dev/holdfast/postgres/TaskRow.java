package dev.holdfast.postgres;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.engine.breaker.Circuit;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.TaskBook.Rule;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Values;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a task, in a row that the reader has locked: what is decided from it is written in
 * the same transaction, so nobody decides from what another has changed. All by task_rule_pkey.
 *
 * @param now the time of the database
 */
record TaskRow(String task, @Nullable Integer limit, Circuit circuit, Instant now) {
  private static final String LOCK =
      """
      select max_held, breaker, failed_at, open_until, open_for, probe_job, probe_token, now()
      from ${schema}.task_rule
      where task = :task
      for update
      """;

  private static final String WRITE =
      """
      update ${schema}.task_rule set
        breaker = :breaker, failed_at = :failedAt::timestamptz[],
        open_until = :openUntil::timestamptz, open_for = :openFor,
        probe_job = :probeJob, probe_token = :probeToken
      where task = :task
      """;

  /** Lock the row of a task and read it. */
  static Optional<TaskRow> lock(Database database, Handle handle, String task) {
    return handle
        .createQuery(database.sql(LOCK))
        .bind("task", task)
        .map((row, context) -> read(row, task))
        .findOne();
  }

  private static TaskRow read(ResultSet row, String task) throws SQLException {
    UUID probe = row.getObject(6, UUID.class);
    return new TaskRow(
        task,
        row.getObject(1, Integer.class),
        new Circuit(
            BreakerState.valueOf(row.getString(2)),
            instants(row.getArray(3)),
            Values.instantOrNull(row, 4),
            Values.ofMicros(row.getLong(5)),
            probe == null ? null : new Held(new JobId(probe), row.getLong(7))),
        Values.instant(row, 8));
  }

  private static List<Instant> instants(Array array) throws SQLException {
    return Arrays.stream((Timestamp[]) array.getArray()).map(Timestamp::toInstant).toList();
  }

  /** Write what has become of the breaker. */
  void write(Database database, Handle handle, Circuit after) {
    Held probe = after.probe();
    handle
        .createUpdate(database.sql(WRITE))
        .bind("task", task)
        .bind("breaker", after.state().name())
        .bindArray(
            "failedAt", String.class, after.failures().stream().map(Instant::toString).toList())
        .bind("openUntil", after.openUntil() == null ? null : after.openUntil().toString())
        .bind("openFor", Values.micros(after.pause()))
        .bind("probeJob", probe == null ? null : probe.id().value())
        .bind("probeToken", probe == null ? null : probe.token())
        .execute();
  }

  /** The rule, if its breaker were this. */
  Rule rule(Circuit other) {
    return new Rule(limit, other.shut(now));
  }
}
