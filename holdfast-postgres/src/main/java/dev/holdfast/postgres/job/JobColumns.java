package dev.holdfast.postgres.job;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.JobSnapshot;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** The columns of a {@link Job}, in the same order from each table. */
public final class JobColumns {
  /** The columns from {@code job j}. */
  private static final String LIVE =
      """
      j.id, j.task, j.queue, j.state, j.priority, j.payload, null::text as result, j.tags,
      coalesce(j.unique_key, j.ledger_key) as unique_key, j.attempt, j.token,
      (select n.id from ${schema}.node n where n.incarnation = j.incarnation) as node,
      j.stack, j.source,
      j.cancel_requested, j.created_at, j.run_at, j.start_by, j.started_at,
      null::timestamptz as finished_at, j.failures::text as failures\
      """;

  /**
   * The columns from {@code job_history h}. A result past its retention is not returned, even if it
   * has not been deleted yet.
   */
  private static final String HISTORY =
      """
      h.id, h.task, h.queue, h.state, h.priority, h.payload,
      case when h.result_until <= now() then null else h.result end, h.tags,
      h.unique_key, h.attempt, h.token, h.node, h.stack, h.source,
      h.cancel_requested, h.created_at, h.run_at, h.start_by, h.started_at,
      h.finished_at, h.failures::text\
      """;

  /** The columns from {@code dead_letter d}. */
  private static final String DEAD =
      """
      d.id, d.task, d.queue, 'FAILED', d.priority, d.payload, null, d.tags,
      coalesce(d.unique_key, d.ledger_key), d.attempt, d.token, d.node,
      d.stack, d.source,
      d.cancel_requested, d.created_at, d.run_at, d.start_by, d.started_at,
      d.finished_at, d.failures::text\
      """;

  private JobColumns() {}

  /** Completes a statement with the columns of each table. */
  public static String columns(String statement) {
    return statement
        .replace("${live}", LIVE)
        .replace("${history}", HISTORY)
        .replace("${dead}", DEAD);
  }

  public static Job read(ResultSet row) throws SQLException {
    return new JobSnapshot(
        new JobId(row.getObject(1, UUID.class)),
        row.getString(2),
        row.getString(3),
        JobState.valueOf(row.getString(4)),
        row.getInt(5),
        row.getString(6),
        row.getString(7),
        SqlValues.strings(row, 8),
        row.getString(9),
        row.getInt(10),
        row.getLong(11),
        row.getString(12),
        row.getString(13),
        row.getString(14),
        row.getBoolean(15),
        SqlValues.instant(row, 16),
        SqlValues.instant(row, 17),
        SqlValues.instantOrNull(row, 18),
        SqlValues.instantOrNull(row, 19),
        SqlValues.instantOrNull(row, 20),
        FailureJson.read(row.getString(21)));
  }
}
