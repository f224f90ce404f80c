package dev.holdfast.postgres.intake;

import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.HistorySearch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The statements that look for jobs by their ids, to recognize an enqueue that is repeated. */
final class JobLookups {
  // By job_history_id of the partitions of a window.
  private static final String IN_HISTORY =
      """
      select id from ${schema}.job_history
      where id = any(?) and finished_at >= ? and finished_at < ?
      """;

  // By job_pkey and enqueue_repeat_pkey.
  private static final String KNOWN =
      """
      select id from ${schema}.job where id = any(?)
      union all
      select id from ${schema}.enqueue_repeat where id = any(?)
      """;

  // By job_history_id of the partitions of a window, and by dead_letter_pkey.
  private static final String ENDED =
      IN_HISTORY
          + """
          union all
          select id from ${schema}.dead_letter where id = any(?)
          """;

  private final Database database;
  private final HistorySearch history;
  private final String inHistory;
  private final String ended;
  private final String known;

  JobLookups(Database database) {
    this.database = database;
    this.history = new HistorySearch(database);
    this.inHistory = database.sql(IN_HISTORY);
    this.ended = database.sql(ENDED);
    this.known = database.sql(KNOWN);
  }

  /** Returns which of these ids belong to jobs that have ended. */
  Set<UUID> ended(Connection c, Set<UUID> ids) throws SQLException {
    Set<UUID> found = endedLately(c, ids);
    Set<UUID> missing = new HashSet<>(ids);
    missing.removeAll(found);
    history.elsewhere(
        c,
        HistorySearch.near(ids),
        missing,
        (window, left) -> {
          Set<UUID> more = ended(c, inHistory, window, left);
          found.addAll(more);
          return more;
        });
    return found;
  }

  /**
   * Returns which of these ids belong to jobs that have ended, if the jobs were created recently.
   * That is enough for ids that were generated when this enqueue was first sent.
   */
  Set<UUID> endedLately(Connection c, Set<UUID> ids) throws SQLException {
    return ids.isEmpty() ? new HashSet<>() : ended(c, ended, HistorySearch.near(ids), ids);
  }

  private Set<UUID> ended(Connection c, String sql, HistorySearch.Window window, Set<UUID> ids)
      throws SQLException {
    try (PreparedStatement statement = database.prepare(c, sql)) {
      CustomPlan.plan(statement);
      statement.setArray(1, c.createArrayOf("uuid", ids.toArray()));
      statement.setObject(2, window.start());
      statement.setObject(3, window.end());
      if (sql.equals(ended)) {
        statement.setArray(4, c.createArrayOf("uuid", ids.toArray()));
      }
      return IntakeStatements.ids(statement);
    }
  }

  /**
   * Returns which of these ids belong to live jobs or to jobs that were sent again.
   *
   * @param firstAttempts the ids for which to look for a repeat
   */
  Set<UUID> known(Connection c, Set<UUID> ids, List<UUID> firstAttempts) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, known)) {
      statement.setArray(1, c.createArrayOf("uuid", ids.toArray()));
      statement.setArray(2, c.createArrayOf("uuid", firstAttempts.toArray()));
      return IntakeStatements.ids(statement);
    }
  }
}
