package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** Writes what plans contain besides jobs and runs: maps, timers, results and used signals. */
final class PlanRows {
  // Conflicts on run_map_pkey. The counts of ended jobs are written by the advance.
  private static final String MAPS =
      """
      insert into ${schema}.run_map as m (run_id, step, total, inserted, policy)
      select * from unnest(:runs::uuid[], :steps::smallint[], :totals::int[], :inserted::int[],
                           :policies::text[])
      on conflict (run_id, step) do update
        set total = excluded.total, inserted = excluded.inserted,
            policy = coalesce(m.policy, excluded.policy)
      """;

  // By run_result_pkey. The maps that a new run takes over have ended.
  private static final String INHERIT_MAPS =
      """
      insert into ${schema}.run_map (run_id, step, total, inserted, ok, failed, cancelled)
      select run_id, step, count(*), count(*), count(*) filter (where outcome = 'S'),
        count(*) filter (where outcome = 'F'), count(*) filter (where outcome = 'C')
      from ${schema}.run_result where run_id = :run and item >= 0
      group by run_id, step
      """;

  // Conflicts on run_timer_pkey.
  private static final String TIMERS =
      """
      insert into ${schema}.run_timer (run_id, step, kind, due_at)
      select u.run_id, u.step, u.kind, now() + u.delay * interval '1 microsecond'
      from unnest(:runs::uuid[], :steps::smallint[], :kinds::text[], :delays::bigint[])
        u(run_id, step, kind, delay)
      on conflict (run_id, step, kind) do update set due_at = excluded.due_at
      """;

  // By run_timer_pkey.
  private static final String UNTIMED =
      """
      delete from ${schema}.run_timer t
      using unnest(:runs::uuid[], :steps::smallint[]) u(run_id, step)
      where t.run_id = u.run_id and t.step = u.step
      """;

  // Conflicts on run_result_pkey: the step fails although its job succeeded.
  private static final String RESULTS =
      """
      insert into ${schema}.run_result (run_id, step, item, outcome, attempt, finished_at, output,
        code, message)
      select u.run_id, u.step, u.item, u.outcome::"char", 0, now(), u.output, u.code, u.message
      from unnest(:runs::uuid[], :steps::smallint[], :items::int[], :outcomes::text[],
          :outputs::text[], :codes::text[], :messages::text[])
        u(run_id, step, item, outcome, output, code, message)
      on conflict (run_id, step, item) do update
        set outcome = excluded.outcome, output = excluded.output, code = excluded.code,
            message = excluded.message
      """;

  // By signal_pkey.
  private static final String CONSUMED =
      """
      update ${schema}.signal s set consumed_by = u.step
      from unnest(:runs::uuid[], :steps::smallint[], :names::text[], :ids::text[])
        u(run_id, step, name, id)
      where s.owner = u.run_id and s.name = u.name and s.id = u.id
      """;

  // By run_result_pkey.
  private static final String DONE_ITEMS =
      """
      select s.run_id, s.step, s.item
      from unnest(:runs::uuid[], :steps::smallint[]) u(run_id, step)
      join ${schema}.run_result s on s.run_id = u.run_id and s.step = u.step
      where s.item >= 0 and s.outcome = 'S'
      """;

  // By dead_letter_run and job_pkey. The job of a step that failed is in the dead-letter queue
  // until
  // the step starts again: with the same job, whose token continues so that its journal is read and
  // late writes of earlier holders are refused, or with another one.
  private static final String CONTINUE =
      """
      with former as (
        delete from ${schema}.dead_letter d
        using unnest(:runs::uuid[], :steps::smallint[]) u(run_id, step)
        where d.run_id = u.run_id and d.step = u.step and d.item = -1
        returning d.id, d.token, d.created_at, d.failures, d.notes
      )
      update ${schema}.job j set
        token = greatest(j.token, f.token), created_at = f.created_at, failures = f.failures, notes = f.notes
      from former f where j.id = f.id
      """;

  /** A part of a plan with its run. */
  record Of<T>(RunId run, int step, T value) {}

  /** An element of a map. */
  record Item(RunId run, int step, int item) {}

  private final String maps;
  private final String inheritMaps;
  private final String timers;
  private final String untimed;
  private final String results;
  private final String consumed;
  private final String doneItems;
  private final String continued;

  PlanRows(Database database) {
    this.maps = database.sql(MAPS);
    this.inheritMaps = database.sql(INHERIT_MAPS);
    this.timers = database.sql(TIMERS);
    this.untimed = database.sql(UNTIMED);
    this.results = database.sql(RESULTS);
    this.consumed = database.sql(CONSUMED);
    this.doneItems = database.sql(DONE_ITEMS);
    this.continued = database.sql(CONTINUE);
  }

  void write(Handle handle, Map<RunId, RunPlan> plans) {
    List<Of<RunPlan.MapSize>> sizes = new ArrayList<>();
    List<Of<RunPlan.Timer>> set = new ArrayList<>();
    List<Of<RunPlan.Result>> ended = new ArrayList<>();
    List<Of<RunData.Signal>> used = new ArrayList<>();
    List<Of<Boolean>> cleared = new ArrayList<>();
    plans.forEach((run, plan) -> {
      plan.maps().forEach((step, size) -> sizes.add(new Of<>(run, step, size)));
      plan.timers().forEach(timer -> set.add(new Of<>(run, timer.step(), timer)));
      plan.results().forEach(result -> ended.add(new Of<>(run, result.step(), result)));
      plan.consumed().forEach((step, signal) -> used.add(new Of<>(run, step, signal)));
      plan.untimed().forEach(step -> cleared.add(new Of<>(run, step, true)));
    });
    if (!sizes.isEmpty()) {
      bind(handle.createUpdate(maps), sizes)
          .bindArray("totals", Integer.class, Columns.of(sizes, s -> s.value.total()))
          .bindArray("inserted", Integer.class, Columns.of(sizes, s -> s.value.inserted()))
          .bindArray(
              "policies", String.class, Columns.of(sizes, s -> policy(plans.get(s.run), s.step)))
          .execute();
    }
    if (!cleared.isEmpty()) {
      bind(handle.createUpdate(untimed), cleared).execute();
    }
    if (!set.isEmpty()) {
      bind(handle.createUpdate(timers), set)
          .bindArray("kinds", String.class, Columns.of(set, t -> t.value.kind().name()))
          .bindArray("delays", Long.class, Columns.of(set, t -> SqlValues.micros(t.value.in())))
          .execute();
    }
    results(handle, ended);
    if (!used.isEmpty()) {
      bind(handle.createUpdate(consumed), used)
          .bindArray("names", String.class, Columns.of(used, s -> s.value.name()))
          .bindArray("ids", String.class, Columns.of(used, s -> s.value.id()))
          .execute();
    }
  }

  private static @Nullable String policy(@Nullable RunPlan plan, int step) {
    return plan == null
        ? null
        : plan.jobs().stream()
            .filter(job -> job.step() == step)
            .findFirst()
            .map(job -> job.job().content().policy())
            .orElse(null);
  }

  /** Writes results that come from no job. */
  void results(Handle handle, List<Of<RunPlan.Result>> all) {
    // One statement must not write a row twice; the last result counts.
    Map<Item, Of<RunPlan.Result>> distinct = new HashMap<>();
    all.forEach(each -> distinct.put(new Item(each.run, each.step, each.value.item()), each));
    List<Of<RunPlan.Result>> rows = List.copyOf(distinct.values());
    if (!rows.isEmpty()) {
      bind(handle.createUpdate(results), rows)
          .bindArray("items", Integer.class, Columns.of(rows, r -> r.value.item()))
          .bindArray(
              "outcomes",
              String.class,
              Columns.of(rows, r -> String.valueOf(r.value.outcome().letter())))
          .bindArray("outputs", String.class, Columns.of(rows, r -> r.value.output()))
          .bindArray(
              "codes",
              String.class,
              Columns.of(rows, r -> r.value.failure() == null ? null : r.value.failure().code()))
          .bindArray(
              "messages",
              String.class,
              Columns.of(rows, r -> r.value.failure() == null ? null : r.value.failure().message()))
          .execute();
    }
  }

  /** Writes the counts of the maps whose results a new run has taken over. */
  void inheritMaps(Handle handle, RunId run) {
    handle.createUpdate(inheritMaps).bind("run", run.value()).execute();
  }

  /** Returns the elements of maps that have succeeded before their run was retried. */
  Set<Item> doneItems(Handle handle, Set<Of<Boolean>> steps) {
    Set<Item> done = new HashSet<>();
    if (!steps.isEmpty()) {
      bind(handle.createQuery(doneItems), List.copyOf(steps))
          .map((row, context) ->
              new Item(new RunId(row.getObject(1, UUID.class)), row.getInt(2), row.getInt(3)))
          .list()
          .forEach(done::add);
    }
    return done;
  }

  /** Lets the jobs of steps that were just inserted continue those that failed before. */
  void continueJobs(Handle handle, List<Of<Boolean>> steps) {
    if (!steps.isEmpty()) {
      bind(handle.createUpdate(continued), steps).execute();
    }
  }

  private static <T, S extends SqlStatement<S>> S bind(S statement, List<Of<T>> rows) {
    return statement
        .bindArray("runs", UUID.class, Columns.of(rows, row -> row.run.value()))
        .bindArray("steps", Integer.class, Columns.of(rows, Of::step));
  }
}
