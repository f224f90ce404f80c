package dev.holdfast.postgres.rule;

import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.store.QueueSnapshot;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Counts live jobs by queue, up to a bound: a table of many millions of jobs must not be read only
 * to find out that there are many.
 *
 * <p>Ready jobs are indexed by queue and task, so each pair is found by one step in the index, and
 * a bounded number of its jobs is read, in the order of rank. Held and scheduled jobs are not
 * indexed by queue: a bounded number of each is read in total.
 */
public final class QueueCounts {
  /** All queues together may read the bound of one queue times this factor. */
  private static final int QUEUES_AT_FULL_LENGTH = 10;

  private static final int FEWEST_OF_A_PAIR = 100;

  // Steps through one of the indexes on ready jobs from one (queue, task) pair to the next.
  private static final String PAIRS =
      """
      ${name} as (
        (select queue, task from ${schema}.job j
         where ${which}
         order by queue, task limit 1)
        union all
        select n.queue, n.task
        from ${name} p
        cross join lateral (
          select j.queue, j.task from ${schema}.job j
          where ${which} and (j.queue, j.task) > (p.queue, p.task)
          order by j.queue, j.task limit 1
        ) n
      )\
      """;

  // The first jobs of one pair.
  private static final String COUNTED =
      """
      select p.queue, p.task, c.jobs, c.oldest
      from ${name} p
      cross join lateral (
        select count(*) as jobs, min(f.run_at) as oldest
        from (
          select j.run_at from ${schema}.job j
          where ${which} and j.queue = p.queue and j.task = p.task ${unknown}
          order by j.rank limit (select most from bound) + 1
        ) f
      ) c\
      """;

  // By job_ready, job_ready_stack and job_ready_suspect.
  private static final String READY =
      """
      with recursive ${pairs}, bound as (
        select greatest(:fewest, least(:most, :total / greatest(1,
          (select count(*) from plain) + (select count(*) from stacked)
          + (select count(*) from suspect)))) as most
      ), counted as (
        ${counted}
      )\
      """;

  // By the same indexes, job_held and job_due.
  private static final String LIST =
      READY
          + """
          , held as materialized (
            select queue from ${schema}.job where state in ('CLAIMED', 'RUNNING') limit :most + 1
          ), scheduled as materialized (
            select queue from ${schema}.job where state = 'SCHEDULED'
            order by run_at limit :most + 1
          ), of_queue as (
            select queue, sum(least(jobs, (select most from bound)))::bigint as ready,
                   bool_or(jobs > (select most from bound)) as more, min(oldest) as oldest
            from counted group by queue
          ), named as (
            select name from ${schema}.queue where paused or max_held is not null
            union
            select queue from counted
            union
            select queue from held
            union
            select queue from scheduled
            union
            select unnest(queues) from ${schema}.node where state = 'ALIVE'
          )
          select n.name, coalesce(q.paused, false),
                 case when q.paused then q.pause_reason end,
                 case when q.paused then q.paused_at end, q.max_held,
                 least(coalesce(r.ready, 0), :most),
                 least(coalesce(h.jobs, 0), :most), least(coalesce(s.jobs, 0), :most),
                 coalesce((extract(epoch from now() - r.oldest) * 1000000)::bigint, 0),
                 coalesce(r.more or r.ready > :most, false),
                 (select count(*) > :most from held), (select count(*) > :most from scheduled)
          from named n
          left join ${schema}.queue q on q.name = n.name
          left join of_queue r on r.queue = n.name
          left join (select queue, count(*) as jobs from held group by queue) h
            on h.queue = n.name
          left join (select queue, count(*) as jobs from scheduled group by queue) s
            on s.queue = n.name
          order by n.name collate "C"
          """;

  // Counts only the jobs whose task no node knows.
  private static final String UNKNOWN =
      READY
          + """
          select task, sum(jobs)::bigint from counted where jobs > 0 group by task
          """;

  private static final String NOBODY_KNOWS =
      """
      and not exists (
        select from ${schema}.node n
        where n.state = 'ALIVE' and p.queue = any(n.queues) and p.task = any(n.tasks))\
      """;

  private final int most;
  private final String list;
  private final String unknown;

  /**
   * @param most the maximum number of jobs to count in a queue
   */
  public QueueCounts(Database database, int most) {
    this.most = most;
    this.list = complete(database, LIST, "");
    this.unknown = complete(database, UNKNOWN, NOBODY_KNOWS);
  }

  private static String complete(Database database, String statement, String unknown) {
    Map<String, String> kinds = new TreeMap<>();
    kinds.put("plain", "j.state = 'READY' and j.stack is null and j.suspicion is null");
    kinds.put("stacked", "j.state = 'READY' and j.stack is not null and j.suspicion is null");
    kinds.put("suspect", "j.state = 'READY' and j.suspicion is not null");
    return database.sql(
        statement
            .replace("${pairs}", each(kinds, PAIRS, ", "))
            .replace("${counted}", each(kinds, COUNTED, "\nunion all\n"))
            .replace("${unknown}", unknown));
  }

  private static String each(Map<String, String> kinds, String piece, String between) {
    return String.join(
        between,
        kinds.entrySet().stream()
            .map(kind ->
                piece.replace("${name}", kind.getKey()).replace("${which}", kind.getValue()))
            .toList());
  }

  List<QueueStatus> list(Handle handle) {
    return handle
        .createQuery(list)
        .bind("fewest", Math.min(most, FEWEST_OF_A_PAIR))
        .bind("most", most)
        .bind("total", most * QUEUES_AT_FULL_LENGTH)
        .map((row, context) -> status(row))
        .list();
  }

  /**
   * Returns the number of ready jobs by task, for tasks that no live node that serves their queue
   * knows.
   */
  public Map<String, Long> unknownTasks(Handle handle) {
    Map<String, Long> counts = new TreeMap<>();
    handle
        .createQuery(unknown)
        .bind("fewest", Math.min(most, FEWEST_OF_A_PAIR))
        .bind("most", most)
        .bind("total", most * QUEUES_AT_FULL_LENGTH)
        .map((row, context) -> Map.entry(row.getString(1), row.getLong(2)))
        .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
    return counts;
  }

  private static QueueStatus status(ResultSet row) throws SQLException {
    return new QueueSnapshot(
        row.getString(1),
        row.getBoolean(2),
        row.getString(3),
        SqlValues.instantOrNull(row, 4),
        row.getObject(5, Integer.class),
        row.getLong(6),
        row.getLong(7),
        row.getLong(8),
        SqlValues.ofMicros(Math.max(0, row.getLong(9))),
        row.getBoolean(10),
        row.getBoolean(11),
        row.getBoolean(12));
  }
}
