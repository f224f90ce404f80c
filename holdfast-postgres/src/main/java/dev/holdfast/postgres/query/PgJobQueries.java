package dev.holdfast.postgres.query;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.HistorySearch;
import dev.holdfast.postgres.job.HistorySearch.Window;
import dev.holdfast.postgres.job.JobColumns;
import dev.holdfast.postgres.rule.QueueCounts;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Finds, lists and counts jobs. */
public final class PgJobQueries implements JobQueries {
  // One statement has one snapshot, in which a job that is being moved is in exactly one of these
  // tables. By job_pkey, job_history_id of the partitions of a window, and dead_letter_pkey.
  private static final String FIND =
      """
      select ${live} from ${schema}.job j where j.id = any(:ids::uuid[])
      union all
      ${ended}
      union all
      select ${dead} from ${schema}.dead_letter d where d.id = any(:ids::uuid[])
      """;

  // By job_history_id of the partitions of a window.
  private static final String FIND_ENDED =
      """
      select ${history} from ${schema}.job_history h
      where h.id = any(:ids::uuid[]) and h.finished_at >= :from and h.finished_at < :to\
      """;

  // Live jobs by job_pkey and dead-lettered jobs by dead_letter_pkey, both read backwards.
  private static final String LIST =
      """
      select * from (
        (select ${live} from ${schema}.job j
         where j.state = any(:states::text[]) and (:before::uuid is null or j.id < :before::uuid)
           and ${j.matches}
         order by j.id desc limit :limit)
        union all
        (${ended})
        union all
        (select ${dead} from ${schema}.dead_letter d
         where 'FAILED' = any(:states::text[]) and (:before::uuid is null or d.id < :before::uuid)
           and ${d.matches}
         order by d.id desc limit :limit)
      ) found
      order by id desc limit :limit
      """;

  // Reads job_history_id of each partition backwards: nearly every row matches. Tags use
  // job_history_tags.
  private static final String ENDED_OF_ANY_KIND =
      """
      select ${history} from ${schema}.job_history h
      where h.state = any(:states::text[]) and :inHistory
        and (:before::uuid is null or h.id < :before::uuid)
        and ${h.matches} and (:createdAfter::timestamptz is null or h.finished_at >= :createdAfter)
      order by h.id desc limit :limit
      """;

  // The tally knows which kinds of jobs have ended. Each kind is read backwards by
  // job_history_task, so that a rare kind does not cost a scan of all of history.
  private static final String ENDED_OF_SOME_KINDS =
      """
      select ${history}
      from (
        select distinct t.task, t.queue, t.state from ${schema}.tally t
        where t.state = any(:states::text[]) and :inHistory
          and (:queue::text is null or t.queue = :queue)
          and (:task::text is null or t.task = :task)
      ) kind
      cross join lateral (
        select * from ${schema}.job_history one
        where one.task = kind.task and one.queue = kind.queue and one.state = kind.state
          and (:before::uuid is null or one.id < :before::uuid)
          and ${one.matches}
          and (:createdAfter::timestamptz is null or one.finished_at >= :createdAfter)
        order by one.id desc limit :limit
      ) h
      order by h.id desc limit :limit
      """;

  // Live jobs by job_ready, job_ready_stack, job_ready_suspect, job_due, job_held and job_parked,
  // each selected
  // by the predicate of its partial index; dead-lettered jobs by dead_letter_task; ended jobs from
  // the tally.
  private static final String COUNT =
      """
      select 'READY',
        (select count(*) from ${schema}.job j
         where j.state = 'READY' and j.stack is null and j.suspicion is null
           and (:queue::text is null or j.queue = :queue)
           and (:task::text is null or j.task = :task))
        + (select count(*) from ${schema}.job j
           where j.state = 'READY' and j.stack is not null and j.suspicion is null
             and (:queue::text is null or j.queue = :queue)
             and (:task::text is null or j.task = :task))
        + (select count(*) from ${schema}.job j
           where j.state = 'READY' and j.suspicion is not null
             and (:queue::text is null or j.queue = :queue)
             and (:task::text is null or j.task = :task))
      where 'READY' = any(:states::text[])
      union all
      select 'SCHEDULED', count(*) from ${schema}.job j
      where j.state = 'SCHEDULED' and 'SCHEDULED' = any(:states::text[])
        and (:queue::text is null or j.queue = :queue)
        and (:task::text is null or j.task = :task)
      union all
      select j.state, count(*) from ${schema}.job j
      where j.state in ('CLAIMED', 'RUNNING') and j.state = any(:states::text[])
        and (:queue::text is null or j.queue = :queue)
        and (:task::text is null or j.task = :task)
      group by j.state
      union all
      select j.state, count(*) from ${schema}.job j
      where j.state in ('WAITING', 'ON_HOLD') and j.state = any(:states::text[])
        and (:queue::text is null or j.queue = :queue)
        and (:task::text is null or j.task = :task)
      group by j.state
      union all
      select 'FAILED', count(*) from ${schema}.dead_letter d
      where 'FAILED' = any(:states::text[])
        and (:queue::text is null or d.queue = :queue)
        and (:task::text is null or d.task = :task)
      union all
      select t.state, sum(t.count)::bigint from ${schema}.tally t
      where t.state = any(:states::text[]) and t.state in ('SUCCEEDED', 'CANCELLED', 'EXPIRED')
        and (:queue::text is null or t.queue = :queue)
        and (:task::text is null or t.task = :task)
      group by t.state
      """;

  // By job_tags, dead_letter_tags, and job_history_tags of each partition. By creation time, the
  // partitions of history since that time: a job cannot end before it was created.
  private static final String COUNT_ROWS =
      """
      select j.state, count(*) from ${schema}.job j
      where j.state = any(:states::text[]) and ${j.matches}
      group by j.state
      union all
      select 'FAILED', count(*) from ${schema}.dead_letter d
      where 'FAILED' = any(:states::text[]) and ${d.matches}
      union all
      select h.state, count(*) from ${schema}.job_history h
      where h.state = any(:states::text[]) and ${h.matches}
        and (:createdAfter::timestamptz is null or h.finished_at >= :createdAfter)
      group by h.state
      """;

  // By job_ready, job_ready_stack, job_ready_suspect and job_due, each read in its order and no
  // further than the bound.
  private static final String COUNT_QUEUED =
      """
      select count(*) from (
        (select 1 from ${schema}.job j
         where j.state = 'READY' and j.stack is null and j.suspicion is null
         order by j.queue, j.task, j.rank limit :most)
        union all
        (select 1 from ${schema}.job j
         where j.state = 'READY' and j.stack is not null and j.suspicion is null
         order by j.queue, j.task, j.stack, j.rank limit :most)
        union all
        (select 1 from ${schema}.job j
         where j.state = 'READY' and j.suspicion is not null
         order by j.queue, j.task, j.rank limit :most)
        union all
        (select 1 from ${schema}.job j
         where j.state = 'SCHEDULED'
         order by j.run_at limit :most)
        limit :most
      ) queued
      """;

  private final Database database;
  private final WaitReasons reasons;
  private final QueueCounts counts;
  private final HistorySearch history;
  private final String find;
  private final String findEnded;
  private final String listAnyKind;
  private final String listSomeKinds;
  private final String count;
  private final String countRows;
  private final String countQueued;

  public PgJobQueries(Database database) {
    this.database = database;
    this.reasons = new WaitReasons(database);
    this.counts = new QueueCounts(database, QueueStore.MOST_COUNTED);
    this.history = new HistorySearch(database);
    this.find = database.sql(JobColumns.columns(FIND.replace("${ended}", FIND_ENDED)));
    this.findEnded = database.sql(JobColumns.columns(FIND_ENDED));
    this.listAnyKind = list(database, ENDED_OF_ANY_KIND);
    this.listSomeKinds = list(database, ENDED_OF_SOME_KINDS);
    this.count = database.sql(COUNT);
    this.countRows = database.sql(FilterSql.complete(COUNT_ROWS));
    this.countQueued = database.sql(COUNT_QUEUED);
  }

  private static String list(Database database, String ended) {
    return database.sql(JobColumns.columns(FilterSql.complete(LIST.replace("${ended}", ended))));
  }

  @Override
  public Map<JobId, Job> find(Collection<JobId> ids) {
    Map<JobId, Job> found = new HashMap<>();
    if (ids.isEmpty()) {
      return found;
    }
    return database.run(
        "look up %d jobs".formatted(ids.size()),
        handle -> {
          Set<UUID> missing = ids.stream().map(JobId::value).collect(Collectors.toSet());
          Window near = HistorySearch.near(missing);
          missing.removeAll(find(handle, find, near, missing, found));
          history.elsewhere(
              handle.getConnection(),
              near,
              missing,
              (window, left) -> find(handle, findEnded, window, left, found));
          return found;
        });
  }

  private static Set<UUID> find(
      Handle handle, String sql, Window window, Set<UUID> ids, Map<JobId, Job> found) {
    List<Job> jobs =
        handle
            .createQuery(sql)
            .addCustomizer(CustomPlan.INSTANCE)
            .bindArray("ids", UUID.class, List.copyOf(ids))
            .bind("from", window.start())
            .bind("to", window.end())
            .map((row, context) -> JobColumns.read(row))
            .list();
    jobs.forEach(job -> found.put(job.id(), job));
    return jobs.stream().map(job -> job.id().value()).collect(Collectors.toSet());
  }

  @Override
  public List<Job> list(JobFilter filter, @Nullable JobId before, int limit) {
    return database.run(
        "list jobs",
        handle ->
            bind(handle.createQuery(isOfAnyKind(filter) ? listAnyKind : listSomeKinds), filter)
                .bind(
                    "inHistory",
                    filter.admits(JobState.SUCCEEDED)
                        || filter.admits(JobState.CANCELLED)
                        || filter.admits(JobState.EXPIRED))
                .bind("before", before == null ? null : before.value())
                .bind("limit", limit)
                .map((row, context) -> JobColumns.read(row))
                .list());
  }

  /** Returns whether the tally counts the ended jobs that match. */
  private static boolean isCounted(JobFilter filter) {
    return filter.tag() == null && filter.createdAfter() == null && filter.createdBefore() == null;
  }

  private static boolean isOfAnyKind(JobFilter filter) {
    return filter.task() == null && filter.queue() == null && filter.admits(JobState.SUCCEEDED);
  }

  @Override
  public Map<JobState, Long> count(JobFilter filter) {
    return database.run(
        "count jobs",
        handle -> {
          Map<JobState, Long> counts = new EnumMap<>(JobState.class);
          bind(handle.createQuery(isCounted(filter) ? count : countRows), filter)
              .map((row, context) -> Map.entry(JobState.valueOf(row.getString(1)), row.getLong(2)))
              .filter(entry -> entry.getValue() > 0)
              .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
          return counts;
        });
  }

  @Override
  public long countQueued(long atMost) {
    return database.run(
        "count queued jobs",
        handle ->
            handle
                .createQuery(countQueued)
                .addCustomizer(CustomPlan.INSTANCE)
                .bind("most", atMost)
                .mapTo(Long.class)
                .one());
  }

  @Override
  public Optional<WaitReason> whyWaiting(JobId id) {
    return reasons.of(id);
  }

  @Override
  public Map<String, Long> unknownTasks() {
    return database.run("look for tasks that no node knows", counts::unknownTasks);
  }

  private static Query bind(Query query, JobFilter filter) {
    List<String> states =
        Arrays.stream(JobState.values()).filter(filter::admits).map(JobState::name).toList();
    return FilterSql.bind(
        query.addCustomizer(CustomPlan.INSTANCE).bindArray("states", String.class, states), filter);
  }
}
