package dev.holdfast.postgres.job;

/**
 * Finds the runs that no live node can continue, without reading the jobs of tasks that some node
 * knows. It decides like {@link dev.holdfast.engine.rule.StrandedRuns}.
 */
public final class StrandedSql {
  // Steps through job_ready, and with the stack through job_ready_stack, from one kind of job to
  // the next; then reads the jobs of the kinds that no node serves. Crash suspects are few and are
  // read by job_ready_suspect. Graphs of newer formats are rare, and their runs are found by
  // run_workflow.
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
        select r.id from ${schema}.workflow_definition d
        join ${schema}.run r on r.workflow = d.name and r.definition = d.id
        where not exists (
          select from ${schema}.node n where n.state = 'ALIVE' and n.graph_format >= d.format)
      )\
      """;

  private StrandedSql() {}

  /**
   * Returns a statement whose {@code ${stranded}} is replaced by a WITH clause that has a query
   * {@code stranded} with the ids of such runs. It has the parameter {@code mostStranded}: how many
   * jobs of one kind to read.
   */
  public static String into(String statement) {
    return statement.replace("${stranded}", STRANDED);
  }
}
