package dev.holdfast.postgres.workflow;

import dev.holdfast.api.Counts;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.IdRange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads runs. */
final class PgRunQueries implements RunQueries {
  // By run_unique.
  private static final String FIND_ACTIVE =
      "select id from ${schema}.run where workflow = :workflow and unique_key = :key";

  // By run_result_pkey.
  private static final String RESULTS =
      """
      select step, outcome, attempt, job_id, started_at, finished_at, output, code, message
      from ${schema}.run_result where run_id = :id and item = -1 order by step
      """;

  // By run_result_pkey.
  private static final String ALL_RESULTS =
      """
      select step, item, outcome, output, code, message
      from ${schema}.run_result where run_id = :id order by step, item
      """;

  // By job_run, run_result_pkey and dead_letter_run.
  private static final String JOBS =
      """
      select id, step from ${schema}.job where run_id = :id and item = -1
      union
      select job_id, step from ${schema}.run_result
      where run_id = :id and item = -1 and job_id is not null
      """;

  // By run_map_pkey.
  private static final String MAPS =
      """
      select step, total, inserted, ok, failed, cancelled from ${schema}.run_map where run_id = :id
      """;

  // By run_parent and run_history_parent. Of several child runs of a step the last one counts.
  private static final String CHILDREN =
      """
      select parent_step, id from ${schema}.run where parent_id = :id
      union all
      select parent_step, id from ${schema}.run_history where parent_id = :id
      order by id
      """;

  // By run_timer_pkey.
  private static final String TIMERS =
      "select step, min(due_at) from ${schema}.run_timer where run_id = :id group by step";

  // By run_mark_run.
  private static final String MARKED =
      "select exists (select from ${schema}.run_mark where run_id = :id)";

  // By run_event_pkey.
  private static final String EVENTS =
      """
      select seq, at, kind, step, detail from ${schema}.run_event
      where run_id = :id and seq > :after order by seq limit :limit
      """;

  /** How many jobs of one kind are read to find stranded runs. */
  private static final int MOST_STRANDED = 100_000;

  private final Database database;
  private final JobQueries jobs;
  private final RunRows rows;
  private final RunCounts counts;
  private final StrandedReads stranded;
  private final String findActive;
  private final String results;
  private final String jobIds;
  private final String maps;
  private final String children;
  private final String timers;
  private final String marked;
  private final String events;

  PgRunQueries(Database database, JobQueries jobs) {
    this.database = database;
    this.jobs = jobs;
    this.rows = new RunRows(database);
    this.counts = new RunCounts(database);
    this.stranded = new StrandedReads(database);
    this.findActive = database.sql(FIND_ACTIVE);
    this.results = database.sql(RESULTS);
    this.jobIds = database.sql(JOBS);
    this.maps = database.sql(MAPS);
    this.children = database.sql(CHILDREN);
    this.timers = database.sql(TIMERS);
    this.marked = database.sql(MARKED);
    this.events = database.sql(EVENTS);
  }

  @Override
  public Optional<RunRow> find(RunId id) {
    return database.run("look up run %s".formatted(id), handle -> rows.find(handle, id));
  }

  @Override
  public Optional<RunId> findActive(String workflow, String uniqueKey) {
    return database.run(
        "look up the run of workflow %s with key '%s'".formatted(workflow, uniqueKey),
        handle ->
            handle
                .createQuery(findActive)
                .bind("workflow", workflow)
                .bind("key", uniqueKey)
                .mapTo(UUID.class)
                .findOne()
                .map(RunId::new));
  }

  @Override
  public RunRow.Details details(RunId id) {
    Map<JobId, Integer> steps = new HashMap<>();
    RunRow.Details found =
        database.run("read run %s".formatted(id), handle -> details(handle, id, steps));
    Map<Integer, Job> ofSteps = new HashMap<>();
    jobs.find(steps.keySet())
        .forEach((job, row) -> ofSteps.put(Objects.requireNonNull(steps.get(job)), row));
    return new RunRow.Details(
        found.results(), ofSteps, found.maps(), found.children(), found.timers(), found.marked());
  }

  private RunRow.Details details(Handle handle, RunId id, Map<JobId, Integer> steps) {
    List<RunRow.Result> ended = of(handle, results, id).map((row, context) -> result(row)).list();
    of(handle, jobIds, id)
        .map((row, context) -> Map.entry(new JobId(row.getObject(1, UUID.class)), row.getInt(2)))
        .list()
        .forEach(entry -> steps.put(entry.getKey(), entry.getValue()));
    Map<Integer, MapCounts> counts = new HashMap<>();
    of(handle, maps, id)
        .map((row, context) ->
            Map.entry(
                row.getInt(1),
                new MapCounts(
                    row.getInt(2), row.getInt(3), row.getInt(4), row.getInt(5), row.getInt(6))))
        .list()
        .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
    Map<Integer, RunId> below = new HashMap<>();
    of(handle, children, id)
        .map((row, context) -> Map.entry(row.getInt(1), new RunId(row.getObject(2, UUID.class))))
        .list()
        .forEach(entry -> below.put(entry.getKey(), entry.getValue()));
    Map<Integer, Instant> due = new HashMap<>();
    of(handle, timers, id)
        .map((row, context) -> Map.entry(row.getInt(1), SqlValues.instant(row, 2)))
        .list()
        .forEach(entry -> due.put(entry.getKey(), entry.getValue()));
    boolean isMarked = of(handle, marked, id).mapTo(Boolean.class).one();
    return new RunRow.Details(ended, Map.of(), counts, below, due, isMarked);
  }

  private static Query of(Handle handle, String sql, RunId id) {
    return handle.createQuery(sql).bind("id", id.value());
  }

  @Override
  public List<RunPlan.Result> results(RunId id) {
    return database.run(
        "read the results of run %s".formatted(id),
        handle ->
            of(handle, database.sql(ALL_RESULTS), id)
                .map((row, context) ->
                    new RunPlan.Result(
                        row.getInt(1),
                        row.getInt(2),
                        StepState.of(row.getString(3).charAt(0)),
                        row.getString(4),
                        failure(row, 5)))
                .list());
  }

  private static RunData.@Nullable Failure failure(ResultSet row, int column) throws SQLException {
    String code = row.getString(column);
    return code == null
        ? null
        : new RunData.Failure(code, Objects.requireNonNullElse(row.getString(column + 1), ""));
  }

  private static RunRow.Result result(ResultSet row) throws SQLException {
    UUID job = row.getObject(4, UUID.class);
    return new RunRow.Result(
        row.getInt(1),
        StepState.of(row.getString(2).charAt(0)),
        row.getInt(3),
        job == null ? null : new JobId(job),
        SqlValues.instantOrNull(row, 5),
        SqlValues.instant(row, 6),
        row.getString(7),
        failure(row, 8));
  }

  @Override
  public List<RunRow> list(RunFilter filter, @Nullable RunId after, int limit) {
    UUID last = after == null ? null : after.value();
    return database.run(
        "list runs",
        handle -> {
          List<RunRow> found = new ArrayList<>();
          for (IdRange range : ranges(filter)) {
            IdRange page = range.below(last);
            if (found.size() < limit && !page.isEmpty()) {
              found.addAll(
                  bind(handle.createQuery(rows.list(filter)), filter)
                      .bind("from", page.from())
                      .bind("before", page.before())
                      .bind("limit", limit - found.size())
                      .map((row, context) -> RunRows.read(row))
                      .list());
            }
          }
          return found;
        });
  }

  private static List<IdRange> ranges(RunFilter filter) {
    return IdRange.of(filter.createdAfter(), filter.createdBefore(), Instant.now());
  }

  @Override
  public Counts<RunState> count(RunFilter filter, int most) {
    return database.run(
        "count runs",
        handle ->
            counts.count(
                filter, most, ranges(filter), sql -> bind(handle.createQuery(sql), filter)));
  }

  @Override
  public Map<RunId, String> stranded(Collection<RunId> ids) {
    return stranded.reasons(ids);
  }

  private static Query bind(Query query, RunFilter filter) {
    if (filter.onlyStranded()) {
      query.bind("mostStranded", MOST_STRANDED);
    }
    List<String> states =
        Arrays.stream(RunState.values()).filter(filter::admits).map(RunState::name).toList();
    return query
        .addCustomizer(CustomPlan.INSTANCE)
        .bindArray("states", String.class, states)
        .bind("workflow", filter.workflow())
        .bind("tag", filter.tag())
        .bind("parent", filter.parent() == null ? null : filter.parent().value())
        .bind(
            "createdAfter",
            filter.createdAfter() == null ? null : filter.createdAfter().atOffset(ZoneOffset.UTC))
        .bind(
            "createdBefore",
            filter.createdBefore() == null
                ? null
                : filter.createdBefore().atOffset(ZoneOffset.UTC));
  }

  @Override
  public List<StoredEvent> events(RunId id, long after, int limit) {
    return database.run(
        "read the events of run %s".formatted(id),
        handle ->
            of(handle, events, id)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) ->
                    new StoredEvent(
                        row.getLong(1),
                        SqlValues.instant(row, 2),
                        new RunPlan.Event(
                            RunEvent.Kind.valueOf(row.getString(3)),
                            row.getInt(4),
                            row.getString(5))))
                .list());
  }
}
