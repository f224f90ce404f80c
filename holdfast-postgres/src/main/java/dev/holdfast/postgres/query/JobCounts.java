package dev.holdfast.postgres.query;

import dev.holdfast.api.Counts;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.BoundedCounts;
import dev.holdfast.postgres.job.IdRange;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/**
 * Counts jobs by state, up to a bound: what a count costs must not depend on how many jobs there
 * are.
 */
final class JobCounts {
  // Steps through one of the indexes on ready jobs from one queue to the next.
  private static final String QUEUES =
      """
      ${name} as (
        select (select j.queue from ${schema}.job j
                where ${which} and (:queue::text is null or j.queue = :queue)
                order by j.queue limit 1) as queue
        union all
        select (select j.queue from ${schema}.job j
                where ${which} and :queue::text is null and j.queue > q.queue
                order by j.queue limit 1)
        from ${name} q where q.queue is not null
      )\
      """;

  private static final String OF_QUEUES =
      """
      select 1 from ${name} q cross join lateral (
        select from ${schema}.job j
        where ${which} and j.queue = q.queue and (:task::text is null or j.task = :task)
        order by j.task limit :most + 1
      ) f\
      """;

  // A bounded number of jobs, of which those that match are counted. They are read once, not once
  // for each state.
  private static final String OF_READ =
      """
      select s.state, coalesce(max(g.matching) filter (where g.state = s.state), 0),
             coalesce(sum(g.jobs), 0) > :read
      from unnest(array[${states}]) s(state)
      left join (
        select r.state, count(*) filter (where r.ok) as matching, count(*) as jobs
        from ${name} r group by r.state
      ) g on true
      where s.state = any(:states::text[])
      group by s.state\
      """;

  // Ready jobs by job_ready, job_ready_stack and job_ready_suspect, dead-lettered ones by
  // dead_letter_task, from one task to the next. Other live jobs are not indexed by queue and task,
  // so a bounded number is read: by job_due, job_held and job_parked. Ended jobs from the tally.
  private static final String COUNT =
      """
      with recursive ${queues}, scheduled as (
        select j.state, ${j.matches} as ok from ${schema}.job j
        where j.state = 'SCHEDULED' and 'SCHEDULED' = any(:states::text[])
        order by j.run_at
        limit case when coalesce(:queue::text, :task::text) is null then :most else :read end + 1
      ), held as (
        select j.state, ${j.matches} as ok from ${schema}.job j
        where j.state in ('CLAIMED', 'RUNNING')
          and array['CLAIMED', 'RUNNING'] && :states::text[]
        order by j.incarnation, j.claim_no limit :read + 1
      ), parked as (
        select j.state, ${j.matches} as ok from ${schema}.job j
        where j.state in ('WAITING', 'ON_HOLD') and array['WAITING', 'ON_HOLD'] && :states::text[]
        order by j.queue, j.task limit :read + 1
      ), tasks as (
        select (select d.task from ${schema}.dead_letter d
                where :task::text is null or d.task = :task
                order by d.task limit 1) as task
        union all
        select (select d.task from ${schema}.dead_letter d
                where :task::text is null and d.task > t.task
                order by d.task limit 1)
        from tasks t where t.task is not null
      )
      select 'READY', count(*), false
      from (select from (${ready}) ready limit :most + 1) found
      where 'READY' = any(:states::text[])
      union all
      ${others}
      union all
      select 'FAILED', count(*), false
      from (
        select from tasks t cross join lateral (
          select from ${schema}.dead_letter d
          where d.task = t.task and (:queue::text is null or d.queue = :queue)
          order by d.queue limit :most + 1
        ) f
        limit :most + 1
      ) found
      where 'FAILED' = any(:states::text[])
      union all
      select t.state, sum(t.count)::bigint, false from ${schema}.tally t
      where t.state = any(:states::text[]) and t.state in ('SUCCEEDED', 'CANCELLED', 'EXPIRED')
        and (:queue::text is null or t.queue = :queue)
        and (:task::text is null or t.task = :task)
      group by t.state
      """;

  // By job_tags, dead_letter_tags, and job_history_tags of each partition, or, for a tag that many
  // jobs have, by reading jobs until enough of them have it.
  private static final String COUNT_TAGGED =
      """
      with live as (
        select j.state, true as ok from ${schema}.job j
        where j.state = any(:states::text[]) and ${j.matches}
        limit :most + 1
      ), dead as (
        select 'FAILED' as state, true as ok from ${schema}.dead_letter d
        where 'FAILED' = any(:states::text[]) and ${d.matches}
        limit :most + 1
      ), ended as (
        select h.state, true as ok from ${schema}.job_history h
        where h.state = any(:states::text[]) and ${h.matches}
          and (:createdAfter::timestamptz is null or h.finished_at >= :createdAfter)
        limit :most + 1
      )
      ${others}
      """;

  // Live and dead-lettered jobs by job_pkey and dead_letter_pkey, read backwards.
  private static final String COUNT_CREATED =
      """
      with live as (
        select j.state, ${j.matches} as ok from ${schema}.job j
        where array[${live}] && :states::text[] and ${j.page}
        order by j.id desc limit :read + 1
      ), dead as (
        select 'FAILED' as state, ${d.matches} as ok from ${schema}.dead_letter d
        where 'FAILED' = any(:states::text[]) and ${d.page}
        order by d.id desc limit :read + 1
      ), ended as (
        ${ended} limit :read + 1
      )
      ${others}
      """;

  // The tally knows which kinds of jobs have ended. Each kind by job_history_task of the partitions
  // since the time: a job cannot end before it was created.
  private static final String ENDED =
      """
      select h.state, true as ok
      from (
        select distinct t.task, t.queue, t.state from ${schema}.tally t
        where t.state = any(:states::text[]) and t.state in ('SUCCEEDED', 'CANCELLED', 'EXPIRED')
          and (:queue::text is null or t.queue = :queue)
          and (:task::text is null or t.task = :task)
      ) kind
      cross join lateral (
        select one.state from ${schema}.job_history one
        where ${one.kind} and ${one.created}
          and (:createdAfter::timestamptz is null or one.finished_at >= :createdAfter)
        order by one.task desc, one.queue desc, one.state desc, one.id desc limit :most + 1
      ) h\
      """;

  private static final Map<String, String> READY =
      Map.of(
          "plain", "j.state = 'READY' and j.stack is null and j.suspicion is null",
          "stacked", "j.state = 'READY' and j.stack is not null and j.suspicion is null",
          "suspect", "j.state = 'READY' and j.suspicion is not null");

  private static final String[] LIVE = {
    "SCHEDULED", "READY", "CLAIMED", "RUNNING", "WAITING", "ON_HOLD"
  };

  private final Database database;
  private final String count;
  private final String countTagged;
  private final String countCreated;

  JobCounts(Database database) {
    this.database = database;
    String others =
        union(
            read("scheduled", "SCHEDULED"),
            read("held", "CLAIMED", "RUNNING"),
            read("parked", "WAITING", "ON_HOLD"));
    this.count =
        complete(
            COUNT
                .replace("${queues}", each(QUEUES, ", "))
                .replace("${ready}", each(OF_QUEUES, "\nunion all\n"))
                .replace("${others}", others));
    String found =
        union(
            read("live", LIVE),
            read("dead", "FAILED"),
            read("ended", "SUCCEEDED", "CANCELLED", "EXPIRED"));
    this.countTagged = complete(COUNT_TAGGED.replace("${others}", found.replace(":read", ":most")));
    this.countCreated =
        complete(
            COUNT_CREATED
                .replace("${live}", quoted(LIVE))
                .replace("${ended}", ENDED)
                .replace("${others}", found));
  }

  private static String each(String piece, String between) {
    return READY.entrySet().stream()
        .map(kind -> piece.replace("${name}", kind.getKey()).replace("${which}", kind.getValue()))
        .collect(Collectors.joining(between));
  }

  private static String read(String rows, String... states) {
    return OF_READ.replace("${name}", rows).replace("${states}", quoted(states));
  }

  private static String quoted(String... states) {
    return Stream.of(states).map("'%s'"::formatted).collect(Collectors.joining(", "));
  }

  private static String union(String... parts) {
    return String.join("\nunion all\n", parts);
  }

  private String complete(String statement) {
    return database.sql(FilterSql.complete(statement));
  }

  Counts<JobState> count(JobFilter filter, int most) {
    return database.run("count jobs", handle -> count(handle, filter, most));
  }

  private Counts<JobState> count(Handle handle, JobFilter filter, int most) {
    BoundedCounts<JobState> counts =
        new BoundedCounts<>(JobState.class, most, state -> JobQueries.isTallied(filter, state));
    if (filter.tag() != null) {
      counts.add(query(handle, countTagged, filter));
    } else if (filter.createdAfter() == null && filter.createdBefore() == null) {
      counts.add(query(handle, count, filter));
    } else {
      for (IdRange range :
          IdRange.of(filter.createdAfter(), filter.createdBefore(), Instant.now())) {
        counts.add(
            query(handle, countCreated, filter)
                .bind("from", range.from())
                .bind("before", range.before()));
      }
    }
    return counts.read();
  }

  private static Query query(Handle handle, String sql, JobFilter filter) {
    return FilterSql.bind(handle.createQuery(sql), filter).addCustomizer(CustomPlan.INSTANCE);
  }
}
