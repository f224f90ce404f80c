package dev.holdfast.postgres.claim;

import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.JobColumns;

/**
 * The statement that claims jobs. Its variants differ in how they pick jobs: for one task, for
 * several tasks, for a node that serves stacks, and for crash suspects.
 */
final class ClaimSql {
  // Each pick walks job_ready and stops at its limit. "ctid = any(array)" is a Tid Scan whatever
  // the statistics say. (rank, ctid) marks the last job that is started at once, because ranks
  // alone may tie.
  private static final String CLAIM =
      """
      with picked as materialized (
        select array_agg(c.ctid) as ctids, array_agg(c.rank) as ranks
        from (
          select p.ctid, p.rank
          from (${pick}) p
          order by p.rank, p.ctid
        ) c
      ), cut as materialized (
        select ctids, :start >= cardinality(ctids) as all_begin,
               ranks[:start] as rank, ctids[:start] as tid
        from picked
      )
      update ${schema}.job j set
        state = case when cut.all_begin or (j.rank, j.ctid) <= (cut.rank, cut.tid)
                     then 'RUNNING' else 'CLAIMED' end,
        attempt = case when cut.all_begin or (j.rank, j.ctid) <= (cut.rank, cut.tid)
                       then j.attempt + 1 else j.attempt end,
        started_at = case when cut.all_begin or (j.rank, j.ctid) <= (cut.rank, cut.tid)
                          then now() else j.started_at end,
        token = j.token + 1,
        incarnation = :incarnation,
        claim_no = :claimNo,
        capped = :limit::int is not null,
        cap_no = case when :limit::int is not null then nextval('${schema}.cap_number') end,
        task_capped = case when :taskCapped then true end,
        task_cap_no = case when :taskCapped then nextval('${schema}.cap_number') end,
        release_requested = null
      from cut
      where j.ctid = any((select ctids from cut)::tid[])
      returning j.id, j.token, j.task, j.state, j.attempt, j.priority, ${payload}, j.tags,
                j.policy, j.created_at, j.run_at, now(), j.rank, coalesce(j.crashes, 0),
                j.suspicion, coalesce(j.unique_key, j.ledger_key), j.notes,
                j.run_id, j.step, j.item
      """;

  // By job_ready_suspect, which is empty unless nodes have died recently. A separate statement: as
  // a part of the others it cost every drain 15 %. SLOW jobs are picked only if there is no job
  // that must run alone.
  private static final String SUSPECT =
      """
      with lone as materialized (
        select t.ctid, t.rank
        from unnest(:tasks::text[]) k(task)
        cross join lateral (
          select r.ctid, r.rank from ${schema}.job r
          where :lone and r.state = 'READY' and r.suspicion is not null and r.suspicion = 'ALONE'
            and r.queue = :queue and r.task = k.task
            and (r.stack is null or r.stack = any(:stacks::text[]))
            and (r.start_by is null or r.start_by > now())
            and ${gate}
          order by r.rank limit 1 for update skip locked
        ) t
        order by t.rank limit 1
      ), slow as materialized (
        select t.ctid, t.rank
        from unnest(:tasks::text[]) k(task)
        cross join lateral (
          select r.ctid, r.rank from ${schema}.job r
          where not exists (select from lone)
            and r.state = 'READY' and r.suspicion is not null and r.suspicion = 'SLOW'
            and r.queue = :queue and r.task = k.task
            and (r.stack is null or r.stack = any(:stacks::text[]))
            and (r.start_by is null or r.start_by > now())
            and ${gate}
          order by r.rank limit :wanted for update skip locked
        ) t
        order by t.rank limit :wanted
      )
      select ctid, rank from lone
      union all
      select ctid, rank from slow
      """;

  // Evaluated once. Closed if the node is not alive, if the queue is paused, and if its limit is
  // not the one that the caller knows. For tasks with rules, read once by task_rule_barred, it
  // opens only to a request for that task alone, which TaskRuleGate has admitted.
  private static final String GATE =
      """
      exists (select from ${schema}.node where incarnation = :incarnation and state = 'ALIVE')
      and not exists (
        select from ${schema}.queue
        where name = :queue and (paused or max_held is distinct from :limit::int))
      and (:alone or ${task} <> all (array(
        select b.task from ${schema}.task_rule b
        where b.max_held is not null or b.breaker <> 'CLOSED')))
      """;

  // The windows ascend without overlap, and the loop over them stops when enough jobs are locked.
  private static final String PICK_ONE_TASK =
      """
      select t.ctid, t.rank
      from unnest(:from::timestamptz[], :to::timestamptz[]) w(lo, hi)
      cross join lateral (
        select r.ctid, r.rank from ${schema}.job r
        where r.state = 'READY' and r.stack is null and r.suspicion is null
          and r.queue = :queue and r.task = :task
          and r.rank >= w.lo and r.rank < w.hi
          and (r.start_by is null or r.start_by > now())
          and ${gate}
        order by r.rank limit :wanted for update skip locked
      ) t
      limit :wanted
      """;

  // Merges the heads of all tasks without locks to see how many jobs of each task are next, then
  // locks that many of each. Locking the wanted number for every task and using only a part would
  // write a lock record for each unused row: 3,140 bytes of WAL for each job claimed out of 50
  // tasks, instead of 390.
  private static final String PICK_SEVERAL_TASKS =
      """
      select t.ctid, t.rank
      from (
        select m.task, count(*) as share
        from (
          select k.task
          from unnest(:tasks::text[]) k(task)
          cross join unnest(:from::timestamptz[], :to::timestamptz[]) w(lo, hi)
          cross join lateral (
            select r.rank from ${schema}.job r
            where r.state = 'READY' and r.stack is null and r.suspicion is null
              and r.queue = :queue and r.task = k.task
              and r.rank >= w.lo and r.rank < w.hi
              and (r.start_by is null or r.start_by > now())
              and ${gate}
            order by r.rank limit :wanted
          ) h
          order by h.rank limit :wanted
        ) m
        group by m.task
      ) s
      cross join lateral (
        select v.ctid, v.rank
        from unnest(:from::timestamptz[], :to::timestamptz[]) w(lo, hi)
        cross join lateral (
          select r.ctid, r.rank from ${schema}.job r
          where r.state = 'READY' and r.stack is null and r.suspicion is null
            and r.queue = :queue and r.task = s.task
            and r.rank >= w.lo and r.rank < w.hi
            and (r.start_by is null or r.start_by > now())
          order by r.rank limit s.share for update skip locked
        ) v
        limit s.share
      ) t
      """;

  // The same for a node that serves stacks: the heads of each task are the jobs without a stack, by
  // job_ready, and the jobs of each of its stacks, by job_ready_stack.
  private static final String PICK_STACKS =
      """
      select t.ctid, t.rank
      from (
        select m.task, m.stack, count(*) as share
        from (
          select k.task, k.stack
          from (
            select n.task, f.stack
            from unnest(:tasks::text[]) n(task)
            cross join unnest(array_append(:stacks::text[], null)) f(stack)
          ) k
          cross join unnest(:from::timestamptz[], :to::timestamptz[]) w(lo, hi)
          cross join lateral (
            (select r.rank from ${schema}.job r
             where k.stack is null
               and r.state = 'READY' and r.stack is null and r.suspicion is null
               and r.queue = :queue and r.task = k.task
               and r.rank >= w.lo and r.rank < w.hi
               and (r.start_by is null or r.start_by > now())
               and ${gate}
             order by r.rank limit :wanted)
            union all
            (select r.rank from ${schema}.job r
             where r.state = 'READY' and r.stack = k.stack and r.suspicion is null
               and r.queue = :queue and r.task = k.task
               and r.rank >= w.lo and r.rank < w.hi
               and (r.start_by is null or r.start_by > now())
               and ${gate}
             order by r.rank limit :wanted)
          ) h
          order by h.rank limit :wanted
        ) m
        group by m.task, m.stack
      ) s
      cross join lateral (
        (select v.ctid, v.rank
         from unnest(:from::timestamptz[], :to::timestamptz[]) w(lo, hi)
         cross join lateral (
           select r.ctid, r.rank from ${schema}.job r
           where s.stack is null
             and r.state = 'READY' and r.stack is null and r.suspicion is null
             and r.queue = :queue and r.task = s.task
             and r.rank >= w.lo and r.rank < w.hi
             and (r.start_by is null or r.start_by > now())
           order by r.rank limit s.share for update skip locked
         ) v
         limit s.share)
        union all
        (select v.ctid, v.rank
         from unnest(:from::timestamptz[], :to::timestamptz[]) w(lo, hi)
         cross join lateral (
           select r.ctid, r.rank from ${schema}.job r
           where r.state = 'READY' and r.stack = s.stack and r.suspicion is null
             and r.queue = :queue and r.task = s.task
             and r.rank >= w.lo and r.rank < w.hi
             and (r.start_by is null or r.start_by > now())
           order by r.rank limit s.share for update skip locked
         ) v
         limit s.share)
      ) t
      """;

  /** Every pick has this condition, once where it reads and once where it locks. */
  private static final String START_BY = "(r.start_by is null or r.start_by > now())";

  // By job_pkey. The columns of a claim, without its rank window: of a job that is held already.
  private static final String HELD =
      """
      select j.id, j.token, j.task, j.state, j.attempt, j.priority, ${payload}, j.tags,
             j.policy, j.created_at, j.run_at, coalesce(j.started_at, now()), j.rank,
             coalesce(j.crashes, 0), j.suspicion, coalesce(j.unique_key, j.ledger_key), ${notes},
             j.run_id, j.step, j.item, j.queue
      from ${schema}.job j
      where j.id = any(:ids::uuid[]) and j.incarnation = :incarnation
        and j.state in ('CLAIMED', 'RUNNING')
      """;

  private ClaimSql() {}

  static String held(Database database, boolean payloads) {
    return database.sql(
        HELD.replace("${payload}", payloads ? JobColumns.payload("j") : "null::text")
            .replace("${notes}", payloads ? "j.notes" : "null::text"));
  }

  static String oneTask(Database database) {
    return claim(database, PICK_ONE_TASK.replace("${gate}", gate(":task")));
  }

  static String severalTasks(Database database) {
    return claim(database, PICK_SEVERAL_TASKS);
  }

  static String suspects(Database database) {
    return claim(database, SUSPECT);
  }

  static String stacks(Database database) {
    return claim(database, PICK_STACKS);
  }

  /**
   * Returns the statement with a condition that excludes the jobs that this node cannot read. A
   * separate statement, because nearly every claim excludes none.
   */
  static String leavingOut(String claim) {
    return claim.replace(START_BY, START_BY + " and r.id <> all(:without::uuid[])");
  }

  private static String claim(Database database, String pick) {
    return database.sql(
        CLAIM
            .replace("${pick}", pick)
            .replace("${gate}", gate("k.task"))
            .replace("${payload}", JobColumns.payload("j")));
  }

  private static String gate(String task) {
    return GATE.replace("${task}", task);
  }
}
