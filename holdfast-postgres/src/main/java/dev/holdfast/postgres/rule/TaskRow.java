package dev.holdfast.postgres.rule;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.engine.rule.BreakerTransition;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.TaskStore.Rule;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
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
 * The rules of a task, read from a locked row. A decision is written in the same transaction, so no
 * transaction decides based on a row that another has changed. All statements use task_rule_pkey.
 *
 * @param now the time of the database
 */
record TaskRow(String task, @Nullable Integer limit, BreakerTransition circuit, Instant now) {
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

  /** Locks and reads the row of a task. */
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
        new BreakerTransition(
            BreakerState.valueOf(row.getString(2)),
            instants(row.getArray(3)),
            SqlValues.instantOrNull(row, 4),
            SqlValues.ofMicros(row.getLong(5)),
            probe == null ? null : new ClaimId(new JobId(probe), row.getLong(7))),
        SqlValues.instant(row, 8));
  }

  private static List<Instant> instants(Array array) throws SQLException {
    return Arrays.stream((Timestamp[]) array.getArray()).map(Timestamp::toInstant).toList();
  }

  /** Stores the new state of the breaker. */
  void write(Database database, Handle handle, BreakerTransition after) {
    ClaimId probe = after.probe();
    handle
        .createUpdate(database.sql(WRITE))
        .bind("task", task)
        .bind("breaker", after.state().name())
        .bindArray(
            "failedAt", String.class, after.failures().stream().map(Instant::toString).toList())
        .bind("openUntil", after.openUntil() == null ? null : after.openUntil().toString())
        .bind("openFor", SqlValues.micros(after.pause()))
        .bind("probeJob", probe == null ? null : probe.id().value())
        .bind("probeToken", probe == null ? null : probe.token())
        .execute();
  }

  /** Returns the rule of the task with the given breaker state. */
  Rule rule(BreakerTransition other) {
    return new Rule(limit, other.shut(now));
  }
}
