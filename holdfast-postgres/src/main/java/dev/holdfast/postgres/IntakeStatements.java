package dev.holdfast.postgres;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.FreshPlan;
import dev.holdfast.postgres.db.Values;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements that new jobs need, on whatever connection they are to be run.
 *
 * <p>They go by the time of the statement and not of the transaction, which in a transaction of the
 * caller's own may have begun long ago.
 */
final class IntakeStatements {
  // Conflicts on job_pkey and job_unique. The order of a list is kept by one microsecond of rank
  // each.
  private static final String INSERT =
      """
      insert into ${schema}.job
        (id, created_at, run_at, rank, start_by, priority, state, queue, task, payload, policy,
         tags, unique_key, ledger_key, stack, source)
      select
        u.id, statement_timestamp(), t.run_at,
        t.run_at + (u.ordinal - u.priority * ?::bigint) * interval '1 microsecond',
        t.run_at + u.start_within * interval '1 microsecond',
        u.priority,
        case when t.run_at <= statement_timestamp() then 'READY' else 'SCHEDULED' end,
        u.queue, u.task, u.payload, u.policy, u.tags::text[], u.unique_key, u.ledger_key,
        u.stack, u.source
      from unnest(?::uuid[], ?::int[], ?::int[], ?::bigint[], ?::timestamptz[], ?::bigint[],
                  ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                  ?::text[], ?::text[])
        u(id, ordinal, priority, delay, at, start_within,
          queue, task, payload, policy, tags, unique_key, ledger_key, stack, source)
      cross join lateral (
        select greatest(statement_timestamp(), u.at,
                        statement_timestamp() + u.delay * interval '1 microsecond') as run_at
      ) t
      """;

  // Conflicts on job_pkey and job_unique. Costs a second WAL record for each row (48 bytes of 410).
  private static final String INSERT_NEW = INSERT + "on conflict do nothing returning id";

  // By job_pkey. The key stays, since it is how the job was found. A job that waits for its retry
  // is
  // left alone: what was tried, and how it failed, belongs to its payload.
  private static final String REPLACE =
      """
      update ${schema}.job j set
        run_at = t.run_at,
        rank = t.run_at + (u.ordinal - u.priority * ?::bigint) * interval '1 microsecond',
        start_by = t.run_at + u.start_within * interval '1 microsecond',
        priority = u.priority,
        state = case when t.run_at <= statement_timestamp() then 'READY' else 'SCHEDULED' end,
        queue = u.queue, payload = u.payload, policy = u.policy, tags = u.tags::text[],
        stack = u.stack, source = u.source
      from unnest(?::uuid[], ?::int[], ?::int[], ?::bigint[], ?::timestamptz[], ?::bigint[],
                  ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                  ?::text[], ?::text[])
        u(id, ordinal, priority, delay, at, start_within,
          queue, task, payload, policy, tags, unique_key, ledger_key, stack, source)
      cross join lateral (
        select greatest(statement_timestamp(), u.at,
                        statement_timestamp() + u.delay * interval '1 microsecond') as run_at
      ) t
      where j.id = u.id and j.state in ('SCHEDULED', 'READY')
        and j.attempt = 0 and j.crashes is null and j.failures is null
      returning j.id
      """;

  // By job_history_id of the partitions of a window.
  private static final String IN_HISTORY =
      """
      select id from ${schema}.job_history
      where id = any(?) and finished_at >= ? and finished_at < ?
      """;

  // As above, and by dead_letter_pkey.
  private static final String ENDED =
      IN_HISTORY
          + """
          union all
          select id from ${schema}.dead_letter where id = any(?)
          """;

  // By job_pkey.
  private static final String LIVE = "select id from ${schema}.job where id = any(?)";

  // By job_pkey.
  private static final String REMOVE = "delete from ${schema}.job where id = any(?)";

  private final Database database;
  private final KeyStatements keys;
  private final long agingMicros;
  private final String insert;
  private final String insertNew;
  private final String replace;
  private final HistorySearch history;
  private final String inHistory;
  private final String ended;
  private final String live;
  private final String remove;

  IntakeStatements(Database database, Duration aging) {
    this.database = database;
    this.keys = new KeyStatements(database);
    this.agingMicros = Values.micros(aging);
    this.insert = database.sql(INSERT);
    this.insertNew = database.sql(INSERT_NEW);
    this.replace = database.sql(REPLACE);
    this.history = new HistorySearch(database);
    this.inHistory = database.sql(IN_HISTORY);
    this.ended = database.sql(ENDED);
    this.live = database.sql(LIVE);
    this.remove = database.sql(REMOVE);
  }

  /** Those about unique keys. */
  KeyStatements keys() {
    return keys;
  }

  /** Write new jobs, which fails if the id of any is known. */
  void insert(Connection connection, List<Candidate> jobs) throws SQLException {
    try (PreparedStatement statement = database.prepare(connection, insert)) {
      bind(connection, statement, jobs, jobs.stream().map(Candidate::id).toList());
      statement.executeUpdate();
    }
  }

  /** Write new jobs, and say which were written; the others met their own id or key. */
  Set<UUID> insertNew(Connection connection, List<Candidate> jobs) throws SQLException {
    return write(connection, insertNew, jobs, jobs.stream().map(Candidate::id).toList());
  }

  /** Give jobs that have not started another content, and say which got it. */
  Set<UUID> replace(Connection connection, List<Candidate> contents, List<UUID> targets)
      throws SQLException {
    return write(connection, replace, contents, targets);
  }

  private Set<UUID> write(Connection c, String sql, List<Candidate> jobs, List<UUID> ids)
      throws SQLException {
    try (PreparedStatement statement = database.prepare(c, sql)) {
      bind(c, statement, jobs, ids);
      return ids(statement);
    }
  }

  private void bind(Connection c, PreparedStatement statement, List<Candidate> jobs, List<UUID> ids)
      throws SQLException {
    statement.setLong(1, agingMicros);
    statement.setArray(2, c.createArrayOf("uuid", ids.toArray()));
    statement.setArray(3, Values.array(c, "int4", jobs, Candidate::ordinal));
    statement.setArray(4, Values.array(c, "int4", jobs, e -> e.job().priority()));
    statement.setArray(5, Values.array(c, "int8", jobs, e -> delay(e.job().when())));
    statement.setArray(6, Values.array(c, "timestamptz", jobs, e -> at(e.job().when())));
    statement.setArray(
        7, Values.array(c, "int8", jobs, e -> Values.microsOrNull(e.job().startWithin())));
    statement.setArray(8, Values.texts(c, jobs, e -> e.job().queue()));
    statement.setArray(9, Values.texts(c, jobs, e -> e.job().task()));
    statement.setArray(10, Values.texts(c, jobs, e -> e.job().payload()));
    statement.setArray(11, Values.texts(c, jobs, e -> e.job().policy()));
    statement.setArray(12, Values.texts(c, jobs, e -> Values.arrayText(e.job().tags())));
    statement.setArray(13, Values.texts(c, jobs, e -> key(e, false)));
    statement.setArray(14, Values.texts(c, jobs, e -> key(e, true)));
    statement.setArray(15, Values.texts(c, jobs, e -> e.job().stamp().stack()));
    statement.setArray(16, Values.texts(c, jobs, e -> e.job().stamp().source()));
  }

  /** Which of these ids belong to jobs that have ended. */
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
   * Which of these ids belong to jobs that have ended, if they were made a short time ago: enough
   * for ids that were fresh when this enqueue was first sent.
   */
  Set<UUID> endedLately(Connection c, Set<UUID> ids) throws SQLException {
    return ids.isEmpty() ? new HashSet<>() : ended(c, ended, HistorySearch.near(ids), ids);
  }

  private Set<UUID> ended(Connection c, String sql, HistorySearch.Window window, Set<UUID> ids)
      throws SQLException {
    try (PreparedStatement statement = database.prepare(c, sql)) {
      FreshPlan.plan(statement);
      statement.setArray(1, c.createArrayOf("uuid", ids.toArray()));
      statement.setObject(2, window.start());
      statement.setObject(3, window.end());
      if (sql.equals(ended)) {
        statement.setArray(4, c.createArrayOf("uuid", ids.toArray()));
      }
      return ids(statement);
    }
  }

  /** Which of these ids belong to live jobs. */
  Set<UUID> live(Connection c, Set<UUID> ids) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, live)) {
      statement.setArray(1, c.createArrayOf("uuid", ids.toArray()));
      return ids(statement);
    }
  }

  /** Take back jobs that this transaction has just inserted. */
  void remove(Connection c, Set<UUID> ids) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, remove)) {
      statement.setArray(1, c.createArrayOf("uuid", ids.toArray()));
      statement.executeUpdate();
    }
  }

  static Set<UUID> ids(PreparedStatement statement) throws SQLException {
    Set<UUID> ids = new HashSet<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getObject(1, UUID.class));
      }
    }
    return ids;
  }

  private static @Nullable Long delay(When when) {
    return when instanceof When.After(Duration delay) ? Values.micros(delay) : null;
  }

  private static @Nullable String at(When when) {
    return when instanceof When.At(var time) ? time.toString() : null;
  }

  private static @Nullable String key(Candidate entry, boolean windowed) {
    UniqueKey key = entry.key();
    return key != null && entry.isWindowed() == windowed ? key.value() : null;
  }
}
