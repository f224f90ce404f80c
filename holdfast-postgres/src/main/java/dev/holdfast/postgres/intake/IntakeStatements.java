package dev.holdfast.postgres.intake;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.LargePayload;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Portions;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.LockPatience;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.HistorySearch;
import dev.holdfast.postgres.job.JobColumns;
import dev.holdfast.postgres.job.JobColumns.Given;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The statements for new jobs, on any connection.
 *
 * <p>They use the time of the statement, not of the transaction: an external transaction may have
 * started long ago.
 */
public final class IntakeStatements {
  private static final int MOST_JOBS = 10_000;

  /** The index of the parameter for the first of the given columns. */
  private static final int FIRST_GIVEN = 8;

  /** The index of the parameter that follows those of the rows. */
  private static final int AFTER_ROWS = FIRST_GIVEN + Given.values().length;

  private static final String ROWS =
      """
      from unnest(?::uuid[], ?::int[], ?::int[], ?::bigint[], ?::timestamptz[], ?::bigint[],
                  ${arrays}${more_arrays})
        u(id, ordinal, priority, delay, at, start_within, ${given}${more_names})
      cross join lateral (
        select greatest(statement_timestamp(), u.at,
                        statement_timestamp() + u.delay * interval '1 microsecond') as run_at
      ) t
      """;

  // One microsecond of rank for each position keeps the order of a list.
  private static final String INTO_JOB =
      """
      insert into ${schema}.job
        (id, created_at, run_at, rank, start_by, priority, state, ${more_columns}${given})
      select
        u.id, statement_timestamp(), t.run_at,
        t.run_at + (u.ordinal - u.priority * ?::bigint) * interval '1 microsecond',
        t.run_at + u.start_within * interval '1 microsecond',
        u.priority,
        case ${when_held}when t.run_at <= statement_timestamp() then 'READY' else 'SCHEDULED' end,
        ${more_values}${values}
      """
          + ROWS;

  /**
   * What is different if some of the jobs start at once: u.claim_no, and what a claim sets. The
   * tokens of all others start at the default of the column, which is the same.
   */
  private static final Map<String, String> HELD =
      Map.of(
          "${more_arrays}",
          ", ?::bigint[]",
          "${more_names}",
          ", claim_no",
          "${more_columns}",
          "attempt, token, started_at, incarnation, claim_no, ",
          "${when_held}",
          "when ${held} then 'RUNNING' ",
          "${more_values}",
          """
          case when ${held} then 1 else 0 end,
          coalesce((select first_token from ${schema}.token_epoch), 0)
            + case when ${held} then 1 else 0 end,
          case when ${held} then statement_timestamp() end,
          case when ${held} then ${incarnation} end, case when ${held} then u.claim_no end,
          """);

  // Conflicts on job_pkey and job_unique. A row is removed again at the end if a repeat has created
  // the job before: then this is a first attempt that arrives late. A second statement in the same
  // round trip would have the same effect, but make a single enqueue 50 % more expensive.
  private static final String INSERT =
      "with written as ("
          + INTO_JOB
          + """
          returning id)
          select unnest(${schema}.take_back_late(array_agg(id))) from written
          """;

  // Conflicts on job_pkey and job_unique. Costs a second WAL record for each row (48 bytes of 410).
  // First attempts whose repeat arrived before them are left out, by enqueue_repeat_pkey. That is
  // enough here, because a transaction of several statements does not commit after its client has
  // given up.
  private static final String INSERT_NEW =
      "${patience}"
          + INTO_JOB
          + """
          ${patiently}
          where not exists (
            select from ${schema}.enqueue_repeat r where r.id = u.id and r.id = any(?))
          on conflict do nothing returning id
          """;

  // Conflicts on enqueue_repeat_pkey. Ordered, so that two repeats cannot deadlock.
  private static final String REMEMBER_REPEATS =
      """
      insert into ${schema}.enqueue_repeat (id, repeated_at)
      select u.id, statement_timestamp() from unnest(?::uuid[]) u(id) order by u.id
      on conflict do nothing
      """;

  // By job_pkey. The key stays, because the job was found by it. A job that waits for its retry is
  // not replaced: its failed attempts belong to its payload.
  private static final String REPLACE =
      """
      update ${schema}.job j set
        run_at = t.run_at,
        rank = t.run_at + (u.ordinal - u.priority * ?::bigint) * interval '1 microsecond',
        start_by = t.run_at + u.start_within * interval '1 microsecond',
        priority = u.priority,
        state = case when t.run_at <= statement_timestamp() then 'READY' else 'SCHEDULED' end,
        ${replaced}
      """
          + ROWS
          + """
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

  // By job_pkey and enqueue_repeat_pkey.
  private static final String KNOWN =
      """
      select id from ${schema}.job where id = any(?)
      union all
      select id from ${schema}.enqueue_repeat where id = any(?)
      """;

  // As above, and by dead_letter_pkey.
  private static final String ENDED =
      IN_HISTORY
          + """
          union all
          select id from ${schema}.dead_letter where id = any(?)
          """;

  // By job_pkey.
  private static final String REMOVE = "delete from ${schema}.job where id = any(?)";

  // Reads all nodes, which are few.
  public static final String DECLARED =
      "select exists (select from ${schema}.node where state = 'ALIVE' and ? = any(queues))";

  private final Database database;
  private final LockPatience patience;
  private final UniqueKeyStatements keys;
  private final StepPayloads payloads;
  private final long agingMicros;
  private final String insert;
  private final String insertNew;
  private final String replace;
  private final HistorySearch history;
  private final String inHistory;
  private final String ended;
  private final String known;
  private final String rememberRepeats;
  private final String remove;
  private final String declared;

  private IntakeStatements(Database database, Duration aging, LockPatience patience) {
    this.database = database;
    this.patience = patience;
    this.keys = new UniqueKeyStatements(database, patience);
    this.payloads = new StepPayloads(database);
    this.agingMicros = SqlValues.micros(aging);
    this.insert = database.sql(plain(INSERT));
    this.insertNew = database.sql(patience.in(plain(INSERT_NEW)));
    this.replace = database.sql(plain(REPLACE));
    this.history = new HistorySearch(database);
    this.inHistory = database.sql(IN_HISTORY);
    this.ended = database.sql(ENDED);
    this.known = database.sql(KNOWN);
    this.rememberRepeats = database.sql(REMEMBER_REPEATS);
    this.remove = database.sql(REMOVE);
    this.declared = database.sql(DECLARED);
  }

  /** Returns the statements for our own transactions. */
  public static IntakeStatements own(Database database, Duration aging) {
    return new IntakeStatements(database, aging, LockPatience.BOUNDED);
  }

  /**
   * Returns the statements for external transactions. The caller decides how long to wait for
   * locks.
   */
  public static IntakeStatements external(Database database, Duration aging) {
    return new IntakeStatements(database, aging, LockPatience.OF_CALLER);
  }

  /** Returns how long transactions with these statements wait for locks. */
  public LockPatience patience() {
    return patience;
  }

  /** Returns the statements for unique keys. */
  public UniqueKeyStatements keys() {
    return keys;
  }

  /** Returns whether a single statement can insert the list. */
  static boolean fitsOneStatement(List<NewJob> jobs) {
    return Portions.first(jobs, MOST_JOBS, Portions.LARGEST, NewJob::size) == jobs.size();
  }

  /**
   * Inserts first attempts. Fails if any of their jobs is live.
   *
   * @return the ids of the jobs that were not inserted because their repeats arrived first
   */
  Set<UUID> insert(Connection connection, List<Candidate> jobs) throws SQLException {
    Set<UUID> late = new HashSet<>();
    for (List<Candidate> portion : portions(jobs)) {
      List<UUID> ids = portion.stream().map(Candidate::id).toList();
      try (PreparedStatement statement = database.prepare(connection, insert)) {
        bind(connection, statement, portion, ids);
        late.addAll(ids(statement));
      }
    }
    return late;
  }

  /**
   * Inserts new jobs and returns those that were inserted. The others conflict with their id or
   * key.
   */
  Set<UUID> insertNew(Connection connection, List<Candidate> jobs) throws SQLException {
    Set<UUID> written = new HashSet<>();
    for (List<Candidate> portion : portions(jobs)) {
      try (PreparedStatement statement = database.prepare(connection, insertNew)) {
        bind(connection, statement, portion, portion.stream().map(Candidate::id).toList());
        statement.setArray(
            AFTER_ROWS,
            connection.createArrayOf("uuid", Candidate.firstAttempts(portion).toArray()));
        written.addAll(ids(statement));
      }
    }
    return written;
  }

  /**
   * Inserts the jobs of steps, whose ids are new.
   *
   * @throws SQLException also if a step has a live job already
   */
  public void insertSteps(Connection connection, List<NewJob> jobs) throws SQLException {
    payloads.store(connection, jobs);
    insert(connection, UniqueEnqueue.entries(jobs));
  }

  /**
   * Returns the part of a statement that inserts the jobs of steps, and starts some of them at once
   * for a node. The rows {@code u} have the columns of the job as texts, so a condition can follow.
   *
   * @param gate the condition under which the node may start a job {@code u}
   * @param incarnation the expression for the incarnation of the node
   */
  public static String startedSteps(String gate, String incarnation) {
    String statement = INTO_JOB;
    for (Map.Entry<String, String> part : HELD.entrySet()) {
      statement = statement.replace(part.getKey(), part.getValue());
    }
    return JobColumns.fromGiven(
        statement
            .replace(
                "${held}",
                "t.run_at <= statement_timestamp() and u.claim_no is not null and " + gate)
            .replace("${incarnation}", incarnation));
  }

  /** Completes a statement that starts no job. */
  private static String plain(String statement) {
    String plain = statement;
    for (String part : HELD.keySet()) {
      plain = plain.replace(part, "");
    }
    return JobColumns.fromGiven(plain);
  }

  /**
   * Binds the jobs of steps to a statement that contains {@link #startedSteps}. None of them has a
   * {@link LargePayload}.
   *
   * @param before how many parameters precede them
   * @param claimNo the number of the claim call under which a job starts; null if it does not
   */
  public void bindStartedSteps(
      Connection c,
      PreparedStatement statement,
      int before,
      List<NewJob> jobs,
      Function<JobId, @Nullable Long> claimNo)
      throws SQLException {
    List<Candidate> entries = UniqueEnqueue.entries(jobs);
    bind(c, statement, before, entries, entries.stream().map(Candidate::id).toList());
    int after = before + AFTER_ROWS - 1;
    statement.setArray(after + 1, SqlValues.array(c, "int8", jobs, job -> claimNo.apply(job.id())));
  }

  private static List<List<Candidate>> portions(List<Candidate> jobs) {
    return Portions.of(jobs, MOST_JOBS, candidate -> candidate.job().size());
  }

  /**
   * Replaces the content of jobs that have not started, and returns the ids of those it replaced.
   */
  Set<UUID> replace(Connection connection, List<Candidate> contents, List<UUID> targets)
      throws SQLException {
    Set<UUID> replaced = new HashSet<>();
    int done = 0;
    for (List<Candidate> portion : portions(contents)) {
      try (PreparedStatement statement = database.prepare(connection, replace)) {
        bind(connection, statement, portion, targets.subList(done, done + portion.size()));
        replaced.addAll(ids(statement));
      }
      done += portion.size();
    }
    return replaced;
  }

  /**
   * Records that these jobs were sent again, so that a first attempt that arrives later creates
   * nothing.
   */
  public void rememberRepeats(Connection c, List<UUID> ids) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, rememberRepeats)) {
      statement.setArray(1, c.createArrayOf("uuid", ids.toArray()));
      statement.executeUpdate();
    }
  }

  private void bind(Connection c, PreparedStatement statement, List<Candidate> jobs, List<UUID> ids)
      throws SQLException {
    bind(c, statement, 0, jobs, ids);
  }

  private void bind(
      Connection c, PreparedStatement statement, int before, List<Candidate> jobs, List<UUID> ids)
      throws SQLException {
    statement.setLong(before + 1, agingMicros);
    statement.setArray(before + 2, c.createArrayOf("uuid", ids.toArray()));
    statement.setArray(before + 3, SqlValues.array(c, "int4", jobs, Candidate::ordinal));
    statement.setArray(before + 4, SqlValues.array(c, "int4", jobs, e -> e.job().priority()));
    statement.setArray(before + 5, SqlValues.array(c, "int8", jobs, e -> delay(e.job().when())));
    statement.setArray(
        before + 6, SqlValues.array(c, "timestamptz", jobs, e -> at(e.job().when())));
    statement.setArray(
        before + 7,
        SqlValues.array(c, "int8", jobs, e -> SqlValues.microsOrNull(e.job().startWithin())));
    int next = before + FIRST_GIVEN;
    for (Given column : Given.values()) {
      statement.setArray(next++, SqlValues.texts(c, jobs, e -> value(column, e)));
    }
  }

  private static @Nullable String value(Given column, Candidate entry) {
    NewJob job = entry.job();
    StepRef step = job.stamp().step();
    return switch (column) {
      case QUEUE -> job.queue();
      case TASK -> job.task();
      case PAYLOAD -> LargePayload.isIn(job) ? null : job.payload();
      case PAYLOAD_REF -> {
        UUID ref = LargePayload.id(job);
        yield ref == null ? null : ref.toString();
      }
      case POLICY -> job.policy();
      case TAGS -> SqlValues.arrayText(job.tags());
      case UNIQUE_KEY -> key(entry, false);
      case LEDGER_KEY -> key(entry, true);
      case STACK -> job.stamp().stack();
      case SOURCE -> job.stamp().source();
      case PARENT -> {
        JobId parent = job.stamp().parent();
        yield parent == null ? null : parent.toString();
      }
      case RUN_ID -> step == null ? null : step.run().toString();
      case STEP -> step == null ? null : Integer.toString(step.step());
      case ITEM -> step == null ? null : Integer.toString(step.item());
    };
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
      return ids(statement);
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
      return ids(statement);
    }
  }

  /** Returns whether a live node serves a queue. */
  boolean isDeclared(Connection c, String queue) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, declared)) {
      statement.setString(1, queue);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /** Deletes jobs that this transaction has just inserted. */
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
    return when instanceof When.After(Duration delay) ? SqlValues.micros(delay) : null;
  }

  private static @Nullable String at(When when) {
    return when instanceof When.At(var time) ? time.toString() : null;
  }

  private static @Nullable String key(Candidate entry, boolean windowed) {
    UniqueKey key = entry.key();
    return key != null && entry.isWindowed() == windowed ? key.value() : null;
  }
}
