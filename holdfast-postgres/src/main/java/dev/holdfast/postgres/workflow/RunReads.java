package dev.holdfast.postgres.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunAdvance.Seen;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.FormerJob;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.JobColumns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads runs. An advance locks them and reads what happened to them, each in its own statement: the
 * snapshot in which marks are read is newer than the lock, so it contains every outcome that was
 * written before.
 */
final class RunReads {
  private static final String RUN =
      """
      r.id, r.definition, r.state, r.phase, r.steps, r.input, r.reason, r.priority, r.stack,
      r.started_by, r.bytes, r.seq, r.retried, r.parent_id is not null\
      """;

  // By run_pkey and run_mark_run. A run that another node has locked is advanced there.
  private static final String LOCK =
      """
      select ${run}
      from ${schema}.run r
      where r.id = any(:ids::uuid[]) and r.state <> 'QUEUED'
        and exists (select from ${schema}.run_mark m where m.run_id = r.id)
      order by r.id
      for no key update skip locked
      """;

  // By job_pkey, run_pkey, run_mark_run and run_map_pkey. In one snapshot: moving a run changes it
  // and the steps of its jobs together.
  private static final String LOOK =
      """
      select ${run}, j.id, j.step
      from ${schema}.job j
      join ${schema}.run r on r.id = j.run_id
      where j.id = any(:ids::uuid[]) and j.item = -1
        and r.state = 'RUNNING' and r.phase = 'MAIN' and not r.retried
        and not exists (select from ${schema}.run_mark m where m.run_id = r.id)
        and not exists (select from ${schema}.run_map m where m.run_id = r.id)
      """;

  // By run_mark_run.
  private static final String MARKS =
      """
      delete from ${schema}.run_mark where run_id = any(:ids::uuid[])
      returning run_id, kind, step, ok, failed, cancelled, bytes
      """;

  // By run_map_pkey. The select sees the counters before the update, and adds the same counts.
  private static final String MAPS =
      """
      with ended as materialized (
        select * from unnest(:runs::uuid[], :steps::smallint[], :ok::int[], :failed::int[],
            :cancelled::int[])
          u(run_id, step, ok, failed, cancelled)
      ), counted as (
        update ${schema}.run_map m set
          ok = m.ok + u.ok, failed = m.failed + u.failed, cancelled = m.cancelled + u.cancelled
        from ended u where m.run_id = u.run_id and m.step = u.step
      )
      select m.run_id, m.step, m.total, m.inserted, m.ok + coalesce(u.ok, 0),
             m.failed + coalesce(u.failed, 0), m.cancelled + coalesce(u.cancelled, 0)
      from ${schema}.run_map m
      left join ended u on u.run_id = m.run_id and u.step = m.step
      where m.run_id = any(:ids::uuid[])
      """;

  // By dead_letter_run, for runs that were retried.
  private static final String FORMER =
      """
      select d.run_id, d.step, d.id, d.task, ${payload} from ${schema}.dead_letter d
      where d.run_id = any(:ids::uuid[]) and d.item = -1
      """;

  /** The row of a run. */
  private record Row(
      RunId id,
      int definition,
      RunState state,
      RunPhase phase,
      String steps,
      @Nullable String input,
      @Nullable String reason,
      @Nullable Integer priority,
      RunSource source,
      long bytes,
      long seq,
      boolean retried,
      boolean child) {
    static Row read(ResultSet row) throws SQLException {
      return new Row(
          new RunId(row.getObject(1, UUID.class)),
          row.getInt(2),
          RunState.valueOf(row.getString(3)),
          RunPhase.valueOf(row.getString(4)),
          row.getString(5),
          row.getString(6),
          row.getString(7),
          row.getObject(8, Integer.class),
          new RunSource(row.getString(9), row.getString(10)),
          row.getLong(11),
          row.getLong(12),
          row.getBoolean(13),
          row.getBoolean(14));
    }
  }

  /**
   * A run that is locked.
   *
   * @param seq the number of its last event
   * @param retried whether it was retried
   */
  record Read(RunFacts facts, long seq, boolean retried) {}

  private record Marked(RunId run, RunMark mark, long bytes) {}

  private record StepOf(RunId run, int step) {}

  private final String lock;
  private final String look;
  private final String marks;
  private final String maps;
  private final String former;

  RunReads(Database database) {
    this.lock = database.sql(LOCK.replace("${run}", RUN));
    this.look = database.sql(LOOK.replace("${run}", RUN));
    this.marks = database.sql(MARKS);
    this.maps = database.sql(MAPS);
    this.former = database.sql(FORMER.replace("${payload}", JobColumns.payload("d")));
  }

  /** Reads those runs of jobs that have neither marks nor maps, and were not retried. */
  List<Seen> look(Handle handle, Collection<JobId> jobs) {
    Map<Row, Map<JobId, Integer>> steps = new LinkedHashMap<>();
    handle
        .createQuery(look)
        .bindArray("ids", UUID.class, Columns.of(jobs, JobId::value))
        .map((row, context) ->
            steps
                .computeIfAbsent(Row.read(row), run -> new HashMap<>())
                .put(new JobId(row.getObject(15, UUID.class)), row.getInt(16)))
        .list();
    List<Seen> seen = new ArrayList<>(steps.size());
    steps.forEach((row, of) ->
        seen.add(new Seen(facts(row, List.of(), 0, Map.of(), Map.of()), row.seq, of, row.child)));
    return seen;
  }

  /** Locks those of the runs that have marks and are not locked, and takes their marks. */
  List<Read> take(Handle handle, Collection<RunId> runs) {
    List<Row> rows =
        handle
            .createQuery(lock)
            .bindArray("ids", UUID.class, Columns.ids(runs))
            .map((row, context) -> Row.read(row))
            .list();
    if (rows.isEmpty()) {
      return List.of();
    }
    List<UUID> ids = rows.stream().map(row -> row.id.value()).toList();
    Map<RunId, List<RunMark>> taken = new HashMap<>();
    Map<RunId, Long> bytes = new HashMap<>();
    Map<StepOf, RunMark> ended = new HashMap<>();
    for (Marked marked : marks(handle, ids)) {
      taken.computeIfAbsent(marked.run, any -> new ArrayList<>()).add(marked.mark);
      bytes.merge(marked.run, marked.bytes, Long::sum);
      if (marked.mark.kind() == RunMark.Kind.ENDED) {
        ended.merge(new StepOf(marked.run, marked.mark.step()), marked.mark, RunReads::sum);
      }
    }
    Map<RunId, Map<Integer, MapCounts>> counts = maps(handle, ids, ended);
    Map<RunId, Map<Integer, FormerJob>> formers =
        former(handle, rows.stream().filter(row -> row.retried).map(row -> row.id).toList());
    // A run whose marks another node took between the two statements is left alone.
    return rows.stream()
        .filter(row -> taken.containsKey(row.id))
        .map(row ->
            new Read(
                facts(
                    row,
                    Objects.requireNonNull(taken.get(row.id)),
                    bytes.getOrDefault(row.id, 0L),
                    counts.getOrDefault(row.id, Map.of()),
                    formers.getOrDefault(row.id, Map.of())),
                row.seq,
                row.retried))
        .toList();
  }

  private static RunMark sum(RunMark one, RunMark other) {
    return new RunMark(
        one.kind(),
        one.step(),
        one.succeeded() + other.succeeded(),
        one.failed() + other.failed(),
        one.cancelled() + other.cancelled());
  }

  private static RunFacts facts(
      Row row,
      List<RunMark> marks,
      long bytes,
      Map<Integer, MapCounts> maps,
      Map<Integer, FormerJob> former) {
    return new RunFacts(
        row.id,
        row.definition,
        row.state,
        row.phase,
        row.steps,
        row.input,
        row.reason,
        row.priority,
        row.source,
        row.bytes + bytes,
        marks,
        maps,
        former);
  }

  private Map<RunId, Map<Integer, FormerJob>> former(Handle handle, List<RunId> retried) {
    Map<RunId, Map<Integer, FormerJob>> found = new HashMap<>();
    if (!retried.isEmpty()) {
      handle
          .createQuery(former)
          .bindArray("ids", UUID.class, Columns.ids(retried))
          .map((row, context) -> {
            found
                .computeIfAbsent(new RunId(row.getObject(1, UUID.class)), any -> new HashMap<>())
                .put(
                    row.getInt(2),
                    new FormerJob(
                        new JobId(row.getObject(3, UUID.class)),
                        row.getString(4),
                        row.getString(5)));
            return true;
          })
          .list();
    }
    return found;
  }

  private List<Marked> marks(Handle handle, List<UUID> ids) {
    return handle
        .createQuery(marks)
        .bindArray("ids", UUID.class, ids)
        .map((row, context) ->
            new Marked(
                new RunId(row.getObject(1, UUID.class)),
                new RunMark(
                    RunMark.Kind.valueOf(row.getString(2)),
                    row.getInt(3),
                    row.getInt(4),
                    row.getInt(5),
                    row.getInt(6)),
                row.getLong(7)))
        .list();
  }

  private Map<RunId, Map<Integer, MapCounts>> maps(
      Handle handle, List<UUID> ids, Map<StepOf, RunMark> ended) {
    List<Map.Entry<StepOf, RunMark>> rows = List.copyOf(ended.entrySet());
    Map<RunId, Map<Integer, MapCounts>> counts = new HashMap<>();
    handle
        .createQuery(maps)
        .bindArray("ids", UUID.class, ids)
        .bindArray("runs", UUID.class, Columns.of(rows, e -> e.getKey().run.value()))
        .bindArray("steps", Integer.class, Columns.of(rows, e -> e.getKey().step))
        .bindArray("ok", Integer.class, Columns.of(rows, e -> e.getValue().succeeded()))
        .bindArray("failed", Integer.class, Columns.of(rows, e -> e.getValue().failed()))
        .bindArray("cancelled", Integer.class, Columns.of(rows, e -> e.getValue().cancelled()))
        .map((row, context) -> {
          counts
              .computeIfAbsent(new RunId(row.getObject(1, UUID.class)), any -> new HashMap<>())
              .put(row.getInt(2), counts(row));
          return true;
        })
        .list();
    return counts;
  }

  private static MapCounts counts(ResultSet row) throws SQLException {
    return new MapCounts(row.getInt(3), row.getInt(4), row.getInt(5), row.getInt(6), row.getInt(7));
  }
}
