package dev.holdfast.postgres.run;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.GroupedCalls;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * Stores the durable steps of jobs.
 *
 * <p>A write locks the job FOR SHARE, which conflicts with every statement that changes the claim.
 * So a holder that has lost its claim finds no row, and one that has not keeps it until the entry
 * is committed. Entries of concurrent jobs are written together.
 */
public final class PgJournals implements Journals {
  private static final int MOST_LOOKS = 10;

  // By job_pkey.
  private static final String HELD =
      """
      select j.id from ${schema}.job j
      where j.id = :id and j.token = :token
        and coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false)
      for share\
      """;

  // By journal_pkey.
  private static final String LOAD =
      """
      select name, occurrence, kind, output from ${schema}.journal
      where job_id = :id order by number
      """;

  // Conflicts on journal_pkey with an entry of the same claim, or with AWAITING.
  private static final String WRITE =
      """
      on conflict (job_id, name, occurrence)
        do update set kind = excluded.kind, output = excluded.output\
      """;

  // By journal_pkey and signal_pkey.
  private static final String TAKE =
      """
      with held as (
        ${held}
      ), known as (
        select n.output from ${schema}.journal n join held h on n.job_id = h.id
        where n.name = :name and n.occurrence = :occurrence and n.kind = 'RECEIVED'
      ), oldest as (
        select s.owner, s.id from ${schema}.signal s join held h on s.owner = h.id
        where s.name = :name and s.consumed_by is null and not exists (select from known)
        order by s.arrived limit 1
      ), taken as (
        update ${schema}.signal s set consumed_by = 0 from oldest o
        where s.owner = o.owner and s.name = :name and s.id = o.id
        returning s.owner, s.payload
      ), noted as (
        insert into ${schema}.journal (job_id, name, occurrence, kind, output)
        select owner, :name, :occurrence, 'RECEIVED', payload from taken
        ${write}
      )
      select exists (select from held),
             exists (select from known union all select from taken),
             coalesce((select output from known), (select payload from taken))
      """;

  // The code of a step needs plans for its own tables, and more time between its statements than
  // ours do.
  private static final String SETTINGS =
      """
      set local enable_seqscan = on;
      set local enable_hashjoin = on;
      set local enable_mergejoin = on;
      set local idle_in_transaction_session_timeout = '60s'
      """;

  private final Database database;
  private final JobQueries queries;
  private final JobSignals signals;
  private final String held;
  private final String load;
  private final JournalAppends appends;
  private final GroupedCalls<JournalAppends.Append, Boolean> groups;
  private final String take;

  public PgJournals(Database database, Duration aging, JobQueries queries) {
    this.database = database;
    this.queries = queries;
    this.signals = new JobSignals(database, aging);
    this.held = database.sql(HELD);
    this.load = database.sql(LOAD);
    this.appends = new JournalAppends(database, WRITE);
    this.groups =
        new GroupedCalls<>(
            JournalAppends.Append::size,
            all ->
                database.run(operation(all), handle -> appends.write(handle.getConnection(), all)));
    this.take = complete(TAKE);
  }

  private String complete(String statement) {
    return database.sql(statement.replace("${held}", HELD).replace("${write}", WRITE));
  }

  @Override
  public List<JournalEntry> load(JobId job) {
    return database.run(
        "read the journal of job %s".formatted(job),
        handle ->
            handle
                .createQuery(load)
                .bind("id", job.value())
                .map((row, context) ->
                    new JournalEntry(
                        new EntryKey(row.getString(1), row.getInt(2)),
                        EntryKind.valueOf(row.getString(3)),
                        row.getString(4)))
                .list());
  }

  @Override
  public boolean append(UUID incarnation, ClaimId claim, JournalEntry entry) {
    return groups.call(new JournalAppends.Append(incarnation, claim, entry));
  }

  private static String operation(List<JournalAppends.Append> all) {
    JournalAppends.Append first = all.getFirst();
    return all.size() == 1
        ? "store step '%s' of job %s".formatted(first.entry().key().name(), first.claim().id())
        : "store %d steps".formatted(all.size());
  }

  private static <S extends SqlStatement<S>> S bind(S statement, UUID incarnation, ClaimId claim) {
    return statement
        .bind("id", claim.id().value())
        .bind("token", claim.token())
        .bind("incarnation", incarnation);
  }

  @Override
  public Taken take(UUID incarnation, ClaimId claim, EntryKey key) {
    return database.run(
        "take a signal '%s' of job %s".formatted(key.name(), claim.id()),
        handle ->
            bind(handle.createQuery(take), incarnation, claim)
                .bind("name", key.name())
                .bind("occurrence", key.occurrence())
                .map(
                    (row, context) -> taken(row.getBoolean(1), row.getBoolean(2), row.getString(3)))
                .one());
  }

  private static Taken taken(boolean isHeld, boolean isThere, @Nullable String payload) {
    if (!isHeld) {
      return new Taken.Lost();
    }
    return isThere ? new Taken.Received(payload) : new Taken.Nothing();
  }

  /** Carries what a step has thrown through the transaction. */
  private static final class BodyFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Exception thrown;

    BodyFailed(Exception thrown) {
      super(null, thrown, false, false);
      this.thrown = thrown;
    }
  }

  @Override
  public boolean transaction(UUID incarnation, ClaimId claim, EntryKey key, Body body)
      throws Exception {
    try {
      return database.transaction(
          "execute step '%s' of job %s in a transaction".formatted(key.name(), claim.id()),
          handle -> {
            if (!lock(handle, incarnation, claim)) {
              return false;
            }
            handle.execute(SETTINGS);
            String output = run(body, handle);
            JournalEntry entry = new JournalEntry(key, EntryKind.TRANSACTION, output);
            return appends
                .write(
                    handle.getConnection(),
                    List.of(new JournalAppends.Append(incarnation, claim, entry)))
                .getFirst();
          });
    } catch (BodyFailed failed) {
      throw failed.thrown;
    }
  }

  private boolean lock(Handle handle, UUID incarnation, ClaimId claim) {
    return bind(handle.createQuery(held), incarnation, claim)
        .mapTo(UUID.class)
        .findOne()
        .isPresent();
  }

  private static @Nullable String run(Body body, Handle handle) {
    try {
      return body.run(StepConnection.of(handle.getConnection()));
    } catch (Exception thrown) {
      throw new BodyFailed(thrown);
    }
  }

  /** Sends a signal. A job may move between two statements, so this looks again if it is live. */
  @Override
  public Sent signal(JobId job, NewSignal signal) {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Optional<Sent> sent =
          database.transaction(
              "send signal '%s' to job %s".formatted(signal.name(), job),
              handle -> signals.send(handle, job, signal));
      if (sent.isPresent()) {
        return sent.get();
      }
      Job found = queries.find(List.of(job)).get(job);
      if (found == null) {
        return new Sent(SignalResult.NOT_FOUND, null);
      }
      if (found.state().hasEnded()) {
        return new Sent(SignalResult.ENDED, null);
      }
    }
    throw new StoreException(
        Outcome.RETRYABLE,
        "Could not send a signal to job %s: it changes too often. Nothing was changed; try again."
            .formatted(job),
        null);
  }
}
