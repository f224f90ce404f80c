package dev.holdfast.postgres.intake;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.LargePayload;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Portions;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.LockPatience;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
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

  // Conflicts on job_pkey and job_unique. A row is removed again at the end if a repeat has created
  // the job before: then this is a first attempt that arrives late. A second statement in the same
  // round trip would have the same effect, but make a single enqueue 50 % more expensive.
  private static final String INSERT =
      "with written as ("
          + NewJobRows.INTO_JOB
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
          + NewJobRows.INTO_JOB
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
          + NewJobRows.ROWS
          + """
          where j.id = u.id and j.state in ('SCHEDULED', 'READY')
            and j.attempt = 0 and j.crashes is null and j.failures is null
          returning j.id
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
  private final JobLookups lookups;
  private final NewJobRows rows;
  private final String insert;
  private final String insertNew;
  private final String replace;
  private final String rememberRepeats;
  private final String remove;
  private final String declared;

  private IntakeStatements(Database database, Duration aging, LockPatience patience) {
    this.database = database;
    this.patience = patience;
    this.keys = new UniqueKeyStatements(database, patience);
    this.payloads = new StepPayloads(database);
    this.rows = new NewJobRows(SqlValues.micros(aging));
    this.insert = database.sql(NewJobRows.plain(INSERT));
    this.insertNew = database.sql(patience.in(NewJobRows.plain(INSERT_NEW)));
    this.replace = database.sql(NewJobRows.plain(REPLACE));
    this.lookups = new JobLookups(database);
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

  /** Returns the statements that look for jobs by their ids. */
  JobLookups lookups() {
    return lookups;
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
        rows.bind(connection, statement, 0, portion, ids);
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
        rows.bind(connection, statement, 0, portion, portion.stream().map(Candidate::id).toList());
        statement.setArray(
            NewJobRows.AFTER_ROWS,
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
    return NewJobRows.startedSteps(gate, incarnation);
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
    rows.bind(c, statement, before, entries, entries.stream().map(Candidate::id).toList());
    int after = before + NewJobRows.AFTER_ROWS - 1;
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
        rows.bind(connection, statement, 0, portion, targets.subList(done, done + portion.size()));
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
}
