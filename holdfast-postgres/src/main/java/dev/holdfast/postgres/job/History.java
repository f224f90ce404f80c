package dev.holdfast.postgres.job;

/**
 * Moves rows from the live table to history or to the dead-letter queue: parts of statements that
 * several families share, so that no statement that ends a job forgets a column, the tally, or the
 * run whose step it executes.
 *
 * <p>Each part expects a common table expression {@code gone} with the deleted rows of {@code job}
 * and the columns {@code ended} (the state), {@code node}, {@code result} and {@code result_until}.
 */
public final class History {

  private static final String INSERT =
      """
      insert into ${schema}.job_history (${names}, finished_at, result_until, state, node, result)
      select ${values}, now(), case when run_id is null then result_until end, ended, node,
        case when run_id is null and (result_until is null or result_until > now()) then result end
      from gone
      """;

  private static final String DEAD =
      """
      insert into ${schema}.dead_letter (${kept}, finished_at, node)
      select ${kept}, now(), node
      from gone
      """;

  // Conflicts on run_result_pkey: the planner has given the step a result before its job ended, for
  // example because its timeout passed.
  private static final String STEP_RESULTS =
      """
      ), step_result as (
        insert into ${schema}.run_result (run_id, step, item, outcome, attempt, token, job_id,
          started_at, finished_at, output, code, message)
        select run_id, step, item,
          case ended when 'SUCCEEDED' then 'S' when 'CANCELLED' then 'C' else 'F' end::"char",
          attempt, token, id, started_at, now(), ${output},
          case ended when 'SUCCEEDED' then null when 'CANCELLED' then 'TASK_CANCELLED'
                     when 'EXPIRED' then 'TASK_EXPIRED'
                     else coalesce(failures -> -1 ->> 'code', 'TASK_FAILED') end,
          case ended when 'SUCCEEDED' then null when 'CANCELLED' then 'The job was cancelled.'
                     when 'EXPIRED' then 'The job was not started in time.'
                     else coalesce(failures -> -1 ->> 'message', '') end
        from gone where run_id is not null
        on conflict do nothing
      """;

  // One mark for all jobs of a step that end together.
  private static final String STEP_MARKS =
      """
      ), step_mark as (
        insert into ${schema}.run_mark (run_id, kind, step, ok, failed, cancelled, bytes)
        select run_id, 'ENDED', step,
          count(*) filter (where ended = 'SUCCEEDED'),
          count(*) filter (where ended not in ('SUCCEEDED', 'CANCELLED')),
          count(*) filter (where ended = 'CANCELLED'),
          coalesce(sum(octet_length(${output})), 0)
        from gone where run_id is not null
        group by run_id, step
      """;

  /**
   * The maximum number of failed attempts in a row: the row of a job that fails for weeks must not
   * keep growing.
   */
  private static final int MOST_FAILURES = 1_000;

  // Appends the failure f.failure, if there is one, with its times.
  private static final String FAILURES =
      """
      case
        when f.failure is null then j.failures
        else
          case when jsonb_array_length(j.failures) >= %d then j.failures - 0
               else coalesce(j.failures, '[]') end
          || (f.failure::jsonb || jsonb_build_object(
               'startedAt', (extract(epoch from j.started_at) * 1000000)::bigint,
               'failedAt', (extract(epoch from now()) * 1000000)::bigint))
      end\
      """
          .formatted(MOST_FAILURES);

  // Upserts by tally_pkey, always in the same order, into rows that only this writer updates.
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

  /**
   * Completes a statement: {@code history} or {@code dead} inserts the rows of {@code gone} there,
   * and for those that execute steps a result and a mark for their run; {@code plain} does the same
   * as {@code history} for rows that execute no steps, and {@code advanced} without a mark, for a
   * statement that advances the runs itself; {@code tally} counts them, {@code columns} are the
   * columns to return of a deleted row, for statements that do not return all of them, and {@code
   * failures} is the expression for its failures including a new one.
   */
  public static String into(String statement) {
    return statement
        .replace("${history}", JobColumns.toHistory(INSERT) + steps("result"))
        .replace("${plain}", JobColumns.toHistory(INSERT))
        .replace("${advanced}", JobColumns.toHistory(INSERT) + output(STEP_RESULTS, "result"))
        .replace("${dead}", DEAD.replace("${kept}", JobColumns.kept()) + steps("null::text"))
        .replace("${columns}", JobColumns.keptButFailures())
        .replace("${failures}", FAILURES)
        .replace("${tally}", TALLY);
  }

  private static String steps(String output) {
    return output(STEP_RESULTS + STEP_MARKS, output);
  }

  private static String output(String part, String output) {
    return part.replace("${output}", output);
  }
}
