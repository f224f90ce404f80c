package dev.holdfast.postgres.upkeep;

import java.util.List;

/** The statements that delete what belongs to ended runs, and graphs that are not used. */
final class RunUpkeep {
  // By run_history_ended, run_pkey, run_history_pkey, run_history_parent, run_map_pkey,
  // run_result_pkey, run_event_pkey, run_payload_pkey and signal_pkey. A child run is kept as long
  // as its parent, and
  // goes with it. A run can have tens of thousands of results, so runs are taken until they have
  // about 20,000 rows together, but at least one of them.
  static final String RUNS =
      """
      with recursive roots as materialized (
        select h.id, h.ended_at,
               h.seq + length(h.steps)
                 + coalesce((select sum(m.inserted) from ${schema}.run_map m where m.run_id = h.id), 0)
                 as weight
        from ${schema}.run_history h
        where h.ended_at < now() - :retention * interval '1 microsecond'
          and (h.parent_id is null
            or not exists (select from ${schema}.run p where p.id = h.parent_id)
            and not exists (select from ${schema}.run_history p where p.id = h.parent_id))
        order by h.ended_at limit :batch for update of h skip locked
      ), weighed as materialized (
        select id, sum(weight) over (order by ended_at, id) - weight as before from roots
      ), old as (
        select id from weighed where before < 20000
        union all
        select c.id from old join ${schema}.run_history c on c.parent_id = old.id
        where c.ended_at < now() - :retention * interval '1 microsecond'
      ), results as (
        delete from ${schema}.run_result where run_id = any(array(select id from old))
      ), events as (
        delete from ${schema}.run_event where run_id = any(array(select id from old))
      ), maps as (
        delete from ${schema}.run_map where run_id = any(array(select id from old))
      ), payloads as (
        delete from ${schema}.run_payload where run_id = any(array(select id from old))
      ), signals as (
        delete from ${schema}.signal where owner = any(array(select id from old))
      ), gone as (
        delete from ${schema}.run_history where id = any(array(select id from old))
      )
      select case when exists (select from weighed where before >= 20000)
                  then :batch else (select count(*) from roots)::int end
      """;

  // The jobs that have journals, each by a step through journal_pkey; then by job_pkey and
  // dead_letter_pkey. A job that is in neither has ended and does not run again.
  static final String JOURNALS =
      """
      with recursive jobs as (
        (select n.job_id as id from ${schema}.journal n order by n.job_id limit 1)
        union all
        select (select n.job_id from ${schema}.journal n where n.job_id > jobs.id
                order by n.job_id limit 1)
        from jobs where jobs.id is not null
      )
      delete from ${schema}.journal n
      where n.job_id = any(array(
        select o.id from jobs o
        where o.id is not null
          and not exists (select from ${schema}.job j where j.id = o.id)
          and not exists (select from ${schema}.dead_letter d where d.id = o.id)
        limit :batch))
      """;

  // As above, by signal_pkey; and by run_pkey and run_history_pkey, since runs have signals too.
  static final String SIGNALS =
      """
      with recursive owners as (
        (select s.owner as id from ${schema}.signal s order by s.owner limit 1)
        union all
        select (select s.owner from ${schema}.signal s where s.owner > owners.id
                order by s.owner limit 1)
        from owners where owners.id is not null
      )
      delete from ${schema}.signal s
      where s.owner = any(array(
        select o.id from owners o
        where o.id is not null
          and not exists (select from ${schema}.job j where j.id = o.id)
          and not exists (select from ${schema}.dead_letter d where d.id = o.id)
          and not exists (select from ${schema}.run r where r.id = o.id)
          and not exists (select from ${schema}.run_history h where h.id = o.id)
        limit :batch))
      """;

  // Reads all gates, by run_of_gate. A gate that a start has locked is skipped.
  static final String GATES =
      """
      delete from ${schema}.run_gate g
      where g.id = any(array(
        select o.id from ${schema}.run_gate o
        where not exists (select from ${schema}.run r where r.gate = o.id)
        limit :batch for update skip locked))
      """;

  /** Reads all open runs, if there is a graph that was not registered for a day. */
  private static final String USED =
      """
      with used as materialized (
        select distinct r.definition from ${schema}.run r
        where exists (
          select from ${schema}.workflow_definition
          where body is not null and used_at < now() - interval '1 day')
      )
      """;

  /** No open run has the graph, and no graph that is kept has child workflows with it. */
  private static final String UNUSED =
      """
      d.body is not null and d.id not in (select definition from used)
        and not exists (
          select from ${schema}.workflow_definition p
          where p.body is not null and p.id <> d.id and position(d.hash in p.body) > 0)\
      """;

  // Reads all graphs, which are few. The graph of an open run counts as used until the run ends: so
  // all runs with a graph that was unused for this long have been deleted, and no one has to look
  // for them in history.
  private static final String TOUCH =
      USED
          + """
          update ${schema}.workflow_definition d
          set used_at = now(), retired_at = null, sealed = null
          where d.id in (select definition from used) and d.used_at < now() - interval '1 day'
          """;

  private static final String RETIRE =
      USED
          + """
          update ${schema}.workflow_definition d set retired_at = now()
          where d.retired_at is null
            and d.used_at < now() - :retention * interval '1 microsecond' - interval '30 days'
            and
          """
          + UNUSED;

  // No statement takes an hour. So starts that did not see that the graph is retired have written
  // their run, and their transactions are older than this one.
  private static final String SEAL =
      """
      update ${schema}.workflow_definition d set sealed = pg_current_xact_id()
      where d.body is not null and d.sealed is null and d.retired_at < now() - interval '1 hour'
      """;

  // All transactions that are older have ended, and their runs are visible.
  private static final String DELETE =
      USED
          + """
          update ${schema}.workflow_definition d set body = null
          where d.sealed < pg_snapshot_xmin(pg_current_snapshot()) and
          """
          + UNUSED;

  /** The steps in which graphs are deleted, in this order. */
  static final List<String> DEFINITIONS = List.of(TOUCH, RETIRE, DELETE, SEAL);

  private RunUpkeep() {}
}
