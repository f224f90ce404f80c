package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.rule.EligibleNodes.Candidate;
import dev.holdfast.engine.rule.StrandedRuns;
import dev.holdfast.engine.rule.StrandedRuns.Mismatch;
import dev.holdfast.engine.rule.StrandedRuns.Ready;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.StrandedSql;
import dev.holdfast.postgres.liveness.NodeRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/** Finds out why no live node can continue runs. */
final class StrandedReads {
  // By run_pkey, workflow_definition_pkey and job_run. The jobs of a map need the same, so one of
  // them is enough.
  private static final String NEEDS =
      """
      select r.id, d.format, j.queue, j.task, j.stack
      from ${schema}.run r
      join ${schema}.workflow_definition d on d.id = r.definition
      left join lateral (
        select s.step, f.*
        from generate_series(0, length(r.steps) - 1) s(step)
        cross join lateral (
          select f.queue, f.task, f.stack from ${schema}.job f
          where f.run_id = r.id and f.step = s.step and f.state = 'READY'
          limit 1
        ) f
        where substr(r.steps, s.step + 1, 1) = 'A'
      ) j on true
      where r.id = any(:ids::uuid[])
      order by r.id, j.step
      """;

  // By job_mismatch. Reads all nodes, which are few.
  private static final String MISMATCHES =
      """
      select j.run_id, j.queue, j.task, j.stack, j.failures -> -1 ->> 'message',
             array(select n.id from ${schema}.node n where n.state = 'ALIVE' and ${tried})
      from ${schema}.job j
      where j.run_id = any(:ids::uuid[]) and ${mismatch}
      order by j.run_id, j.step
      """;

  private static final String LIVING =
      """
      select id, queues, tasks, serves, mode, mode_exceptions, lost_lanes, graph_format
      from ${schema}.node where state = 'ALIVE'
      """;

  /** What a run needs. */
  private record Needs(int format, List<Ready> ready, List<Mismatch> mismatches) {}

  private final Database database;
  private final String needs;
  private final String mismatches;
  private final String living;

  StrandedReads(Database database) {
    this.database = database;
    this.needs = database.sql(NEEDS);
    this.mismatches = database.sql(StrandedSql.mismatches(MISMATCHES));
    this.living = database.sql(LIVING);
  }

  /** Returns the reasons of those runs that are stranded. */
  Map<RunId, String> reasons(Collection<RunId> ids) {
    return database.run(
        "find out whether runs are stranded",
        handle -> {
          Map<RunId, Needs> needed = needs(handle, ids);
          addMismatches(handle, ids, needed);
          List<Candidate> nodes = needed.isEmpty() ? List.of() : living(handle);
          Map<RunId, String> reasons = new HashMap<>();
          needed.forEach((id, need) ->
              StrandedRuns.reason(need.format, need.ready, need.mismatches, nodes)
                  .ifPresent(why -> reasons.put(id, why)));
          return reasons;
        });
  }

  private Map<RunId, Needs> needs(Handle handle, Collection<RunId> ids) {
    Map<RunId, Needs> needed = new HashMap<>();
    handle
        .createQuery(needs)
        .bindArray("ids", UUID.class, ids.stream().map(RunId::value).toList())
        .map((row, context) -> {
          Needs need =
              needed.computeIfAbsent(
                  new RunId(row.getObject(1, UUID.class)), format(row.getInt(2)));
          String queue = row.getString(3);
          if (queue != null) {
            need.ready.add(new Ready(queue, row.getString(4), row.getString(5)));
          }
          return need;
        })
        .list();
    return needed;
  }

  private static Function<RunId, Needs> format(int format) {
    return id -> new Needs(format, new ArrayList<>(), new ArrayList<>());
  }

  private void addMismatches(Handle handle, Collection<RunId> ids, Map<RunId, Needs> needed) {
    handle
        .createQuery(mismatches)
        .bindArray("ids", UUID.class, ids.stream().map(RunId::value).toList())
        .map((row, context) -> {
          Needs need = needed.get(new RunId(row.getObject(1, UUID.class)));
          return need != null
              && need.mismatches.add(
                  new Mismatch(
                      row.getString(2),
                      row.getString(3),
                      row.getString(4),
                      SqlValues.strings(row, 6),
                      row.getString(5)));
        })
        .list();
  }

  private List<Candidate> living(Handle handle) {
    return handle
        .createQuery(living)
        .map((row, context) ->
            new Candidate(
                row.getString(1),
                SqlValues.strings(row, 2),
                SqlValues.strings(row, 3),
                SqlValues.strings(row, 4),
                NodeRows.modes(row.getString(5), SqlValues.strings(row, 6)),
                NodeRows.lostLanes(SqlValues.strings(row, 7)),
                row.getInt(8)))
        .list();
  }
}
