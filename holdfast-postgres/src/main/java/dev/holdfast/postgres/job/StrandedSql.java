package dev.holdfast.postgres.job;

/**
 * Finds the runs that no live node can continue, without reading the jobs of tasks that some node
 * knows. It decides like {@link dev.holdfast.engine.rule.StrandedRuns}.
 */
public final class StrandedSql {
  // Steps through job_ready, and with the stack through job_ready_stack, from one kind of job to
  // the next; then reads the jobs of the kinds that no node serves. Crash suspects are few and are
  // read by job_ready_suspect. Graphs of newer formats are rare, and their runs are found by
  // run_workflow. Jobs whose journal did not match are found by job_mismatch.
  private static final String STRANDED =
      """
      with recursive plain as (
        (select queue, task from ${schema}.job
         where state = 'READY' and stack is null and suspicion is null
         order by queue, task limit 1)
        union all
        select n.queue, n.task
        from plain p cross join lateral (
          select j.queue, j.task from ${schema}.job j
          where j.state = 'READY' and j.stack is null and j.suspicion is null
            and (j.queue, j.task) > (p.queue, p.task)
          order by j.queue, j.task limit 1
        ) n
      ), stacked as (
        (select queue, task, stack from ${schema}.job
         where state = 'READY' and stack is not null and suspicion is null
         order by queue, task, stack limit 1)
        union all
        select n.queue, n.task, n.stack
        from stacked p cross join lateral (
          select j.queue, j.task, j.stack from ${schema}.job j
          where j.state = 'READY' and j.stack is not null and j.suspicion is null
            and (j.queue, j.task, j.stack) > (p.queue, p.task, p.stack)
          order by j.queue, j.task, j.stack limit 1
        ) n
      ), waiting as (
        select f.run_id from plain p cross join lateral (
          select j.run_id from ${schema}.job j
          where j.state = 'READY' and j.stack is null and j.suspicion is null
            and j.queue = p.queue and j.task = p.task
          order by j.rank limit :mostStranded
        ) f
        where not exists (
          select from ${schema}.node n
          where n.state = 'ALIVE' and p.queue = any(n.queues) and p.task = any(n.tasks))
        union all
        select f.run_id from stacked p cross join lateral (
          select j.run_id from ${schema}.job j
          where j.state = 'READY' and j.stack is not null and j.suspicion is null
            and j.queue = p.queue and j.task = p.task and j.stack = p.stack
          order by j.rank limit :mostStranded
        ) f
        where not exists (
          select from ${schema}.node n
          where n.state = 'ALIVE' and p.queue = any(n.queues) and p.task = any(n.tasks)
            and n.serves && array[p.stack, '*'])
        union all
        select j.run_id from ${schema}.job j
        where j.state = 'READY' and j.suspicion is not null and j.run_id is not null
          and not exists (
            select from ${schema}.node n
            where n.state = 'ALIVE' and j.queue = any(n.queues) and j.task = any(n.tasks)
              and (j.stack is null or n.serves && array[j.stack, '*']))
      ), stranded as materialized (
        select w.run_id as id from waiting w where w.run_id is not null
        union
        select j.run_id from ${schema}.job j
        where ${mismatch}
          and not exists (
            select from ${schema}.node n
            where n.state = 'ALIVE' and j.queue = any(n.queues) and j.task = any(n.tasks)
              and (j.stack is null or n.serves && array[j.stack, '*'])
              and not ${tried})
        union
        select r.id from ${schema}.workflow_definition d
        join ${schema}.run r on r.workflow = d.name and r.definition = d.id
        where not exists (
          select from ${schema}.node n where n.state = 'ALIVE' and n.graph_format >= d.format)
      )\
      """;

  /** Whether the journal of {@code job j} did not match the code of its last node: job_mismatch. */
  private static final String MISMATCH =
      """
      j.run_id is not null and j.state in ('SCHEDULED', 'READY')
        and j.failures -> -1 ->> 'code' = 'JOURNAL_MISMATCH'\
      """;

  /** Whether the journal of {@code job j} did not match on {@code node n} since it started. */
  private static final String TRIED =
      """
      exists (
        select from jsonb_array_elements(j.failures) e
        where e ->> 'code' = 'JOURNAL_MISMATCH' and e ->> 'node' = n.id
          and (e ->> 'failedAt')::bigint >= extract(epoch from n.started_at) * 1000000)\
      """;

  private StrandedSql() {}

  /**
   * Completes a statement about {@code job j} and {@code node n}: {@code mismatch} says whether the
   * journal of the job did not match the code of the node that ran it last, {@code tried} whether
   * it did not match on this node since it started.
   */
  public static String mismatches(String statement) {
    return statement.replace("${mismatch}", MISMATCH).replace("${tried}", TRIED);
  }

  /**
   * Returns a statement whose {@code ${stranded}} is replaced by a WITH clause that has a query
   * {@code stranded} with the ids of such runs. It has the parameter {@code mostStranded}: how many
   * jobs of one kind to read.
   */
  public static String into(String statement) {
    return statement.replace("${stranded}", mismatches(STRANDED));
  }
}
