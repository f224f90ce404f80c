package dev.holdfast.postgres.query;

import dev.holdfast.api.Counts;
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
import dev.holdfast.postgres.job.IdRange;
import dev.holdfast.postgres.job.JobColumns;
import dev.holdfast.postgres.rule.QueueCounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
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

  // Dead-lettered jobs by dead_letter_pkey, read backwards, or by dead_letter_task.
  private static final String LIST =
      """
      ${running}
      union all
      (${ended})
      union all
      (select ${dead} from ${schema}.dead_letter d
       where 'FAILED' = any(:states::text[]) and ${d.page} and ${d.matches}
       order by d.id desc limit :limit)\
      """;

  private static final String MERGED =
      """
      select * from (
        ${parts}
      ) found
      order by id desc limit :limit
      """;

  // By job_pkey, read backwards, or by the index whose predicate the condition implies.
  private static final String LIVE =
      """
      (select ${live} from ${schema}.job j
       where ${which} and ${j.page} and ${j.matches}
       order by j.id desc limit :limit)\
      """;

  // The predicates of job_ready, job_ready_stack, job_ready_suspect, job_due, job_held and
  // job_parked, so that the few jobs of a queue or a task are found without reading all others.
  private static final List<String> KINDS =
      List.of(
          "'READY' = any(:states::text[]) and j.state = 'READY' and j.stack is null and j.suspicion"
              + " is null",
          "'READY' = any(:states::text[]) and j.state = 'READY' and j.stack is not null"
              + " and j.suspicion is null",
          "'READY' = any(:states::text[]) and j.state = 'READY' and j.suspicion is not null",
          "'SCHEDULED' = any(:states::text[]) and j.state = 'SCHEDULED'",
          "'CLAIMED' = any(:states::text[]) and j.state = 'CLAIMED'",
          "'RUNNING' = any(:states::text[]) and j.state = 'RUNNING'",
          "'WAITING' = any(:states::text[]) and j.state = 'WAITING'",
          "'ON_HOLD' = any(:states::text[]) and j.state = 'ON_HOLD'");

  // Reads job_history_id of each partition backwards: nearly every row matches.
  private static final String ENDED_OF_ANY_KIND =
      """
      select ${history} from ${schema}.job_history h
      where h.state = any(:states::text[]) and :inHistory
        and ${h.page} and ${h.matches}
        and (:createdAfter::timestamptz is null or h.finished_at >= :createdAfter)
      order by h.id desc limit :limit
      """;

  // The tally knows which kinds of jobs have ended. Each kind is read backwards by
  // job_history_task, so that a rare kind does not cost a scan of all of history: rows are compared
  // as a whole because the planner would prefer job_history_id if each column were given.
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
        where ${one.kind} and ${one.created}
          and (:createdAfter::timestamptz is null or one.finished_at >= :createdAfter)
        order by one.task desc, one.queue desc, one.state desc, one.id desc limit :limit
      ) h
      order by h.id desc limit :limit
      """;

  // If many jobs have a tag, the newest of them are found by reading a bounded number of jobs
  // backwards. Otherwise they are few, and found by job_tags, job_history_tags or dead_letter_tags.
  // The planner does not know which, and would read all jobs for a tag that it takes for common.
  private static final String TAGGED =
      """
      (with recent as materialized (
         select ${columns} from (
           select * from ${schema}.${table} t where ${t.page} order by t.id desc limit :recent
         ) ${alias}
         where ${state} = any(:states::text[]) and ${${alias}.matches}
         order by ${alias}.id desc limit :limit
       )
       (select * from recent where (select count(*) from recent) = :limit)
       union all
       (select ${columns} from (
          select * from ${schema}.${table} t where ${t.page} and ${t.matches} offset 0
        ) ${alias}
        where ${state} = any(:states::text[]) and (select count(*) from recent) < :limit
        order by ${alias}.id desc limit :limit))\
      """;

  /** How many jobs are read to find those with a tag. */
  private static final int RECENT = 5_000;

  private final Database database;
  private final WaitReasons reasons;
  private final QueueCounts queues;
  private final JobCounts counts;
  private final HistorySearch history;
  private final String find;
  private final String findEnded;
  private final String listAll;
  private final String listAnyKind;
  private final String listSomeKinds;
  private final String listTagged;

  public PgJobQueries(Database database) {
    this.database = database;
    this.reasons = new WaitReasons(database);
    this.queues = new QueueCounts(database, QueueStore.MOST_COUNTED);
    this.counts = new JobCounts(database);
    this.history = new HistorySearch(database);
    this.find = database.sql(JobColumns.columns(FIND.replace("${ended}", FIND_ENDED)));
    this.findEnded = database.sql(JobColumns.columns(FIND_ENDED));
    String kinds =
        String.join(
            "\nunion all\n", KINDS.stream().map(kind -> LIVE.replace("${which}", kind)).toList());
    this.listAll =
        list(
            database,
            LIVE.replace("${which}", "j.state = any(:states::text[])"),
            ENDED_OF_ANY_KIND);
    this.listAnyKind = list(database, kinds, ENDED_OF_ANY_KIND);
    this.listSomeKinds = list(database, kinds, ENDED_OF_SOME_KINDS);
    String tagged =
        String.join(
            "\nunion all\n",
            tagged("job", "j", "${live}", "j.state"),
            tagged("job_history", "h", "${history}", "h.state"),
            tagged("dead_letter", "d", "${dead}", "'FAILED'"));
    this.listTagged = complete(database, MERGED.replace("${parts}", tagged));
  }

  private static String tagged(String table, String alias, String columns, String state) {
    return TAGGED
        .replace("${columns}", columns)
        .replace("${table}", table)
        .replace("${alias}", alias)
        .replace("${state}", state);
  }

  private static String list(Database database, String running, String ended) {
    String parts = LIST.replace("${running}", running).replace("${ended}", ended);
    return complete(database, MERGED.replace("${parts}", parts));
  }

  private static String complete(Database database, String statement) {
    return database.sql(JobColumns.columns(FilterSql.complete(statement)));
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
    UUID last = before == null ? null : before.value();
    return database.run(
        "list jobs",
        handle -> {
          List<Job> found = new ArrayList<>();
          for (IdRange range :
              IdRange.of(filter.createdAfter(), filter.createdBefore(), Instant.now())) {
            IdRange page = range.below(last);
            if (found.size() < limit && !page.isEmpty()) {
              found.addAll(list(handle, filter, page, limit - found.size()));
            }
          }
          return found;
        });
  }

  private List<Job> list(Handle handle, JobFilter filter, IdRange page, int limit) {
    boolean inHistory =
        filter.admits(JobState.SUCCEEDED)
            || filter.admits(JobState.CANCELLED)
            || filter.admits(JobState.EXPIRED);
    return FilterSql.bind(handle.createQuery(listOf(filter)), filter)
        .addCustomizer(CustomPlan.INSTANCE)
        .bind("inHistory", inHistory)
        .bind("from", page.from())
        .bind("before", page.before())
        .bind("limit", limit)
        .bind("recent", RECENT)
        .map((row, context) -> JobColumns.read(row))
        .list();
  }

  private String listOf(JobFilter filter) {
    if (filter.tag() != null) {
      return listTagged;
    }
    if (filter.task() != null || filter.queue() != null || !filter.admits(JobState.SUCCEEDED)) {
      return listSomeKinds;
    }
    return filter.states().isEmpty() ? listAll : listAnyKind;
  }

  @Override
  public Counts<JobState> count(JobFilter filter, int most) {
    return counts.count(filter, most);
  }

  @Override
  public Optional<WaitReason> whyWaiting(JobId id) {
    return reasons.of(id);
  }

  @Override
  public Map<String, Long> unknownTasks() {
    return database.run("look for tasks that no node knows", queues::unknownTasks);
  }
}
