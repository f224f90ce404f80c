package dev.holdfast.postgres;

/**
 * How rows get from the live table to where ended jobs are: pieces of statements that several
 * families share, so that no way of ending a job forgets a column or the tally.
 *
 * <p>Each expects a common table expression {@code gone} with the deleted rows of {@code job} and
 * the columns {@code ended} (the state), {@code node}, {@code result} and {@code result_until}.
 */
final class History {

  private static final String INSERT =
      """
      insert into ${schema}.job_history
        (id, token, created_at, run_at, started_at, start_by, finished_at, result_until, attempt,
         priority, cancel_requested, state, queue, task, node, payload, result, tags, unique_key,
         failures)
      select
        id, token, created_at, run_at, started_at, start_by, now(), result_until, attempt,
        priority, cancel_requested, ended, queue, task, node, payload, result, tags,
        coalesce(unique_key, ledger_key), failures
      from gone
      """;

  // Upserts by tally_pkey, always in the same order, into rows that only this writer touches.
  private static final String TALLY =
      """
      insert into ${schema}.tally as t (day, queue, task, state, shard, count)
      select (now() at time zone 'UTC')::date, queue, task, ended, :shard, count(*)
      from gone
      group by queue, task, ended
      order by queue, task, ended
      on conflict (day, queue, task, state, shard) do update set count = t.count + excluded.count
      """;

  private History() {}

  /** Complete a statement that moves {@code gone} to history and counts it. */
  static String into(String statement) {
    return statement.replace("${history}", INSERT).replace("${tally}", TALLY);
  }
}
