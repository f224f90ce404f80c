package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.postgres.db.Database;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads what a planner requests about runs, for all of them in a few statements. */
final class RunDataReads {
  // By run_result_pkey.
  private static final String OUTPUTS =
      """
      select s.run_id, s.step, s.item, s.output
      from unnest(:runs::uuid[], :steps::smallint[], :maps::boolean[]) u(run_id, step, map)
      join ${schema}.run_result s on s.run_id = u.run_id and s.step = u.step
      where s.outcome = 'S' and (s.item >= 0) = u.map
      """;

  // By signal_pkey.
  private static final String SIGNALS =
      """
      select distinct on (s.owner, s.name) s.owner, s.name, s.id, s.payload
      from unnest(:runs::uuid[], :names::text[]) u(run_id, name)
      join ${schema}.signal s on s.owner = u.run_id and s.name = u.name
      where s.consumed_by is null
      order by s.owner, s.name, s.arrived
      """;

  // By run_event_pkey and run_result_pkey. Steps without an event are taken over from another run.
  private static final String SUCCESSES =
      """
      select run_id, step, max(seq) as last from ${schema}.run_event
      where run_id = any(:runs::uuid[]) and kind = 'STEP_SUCCEEDED'
      group by run_id, step
      union all
      select run_id, step, 0 from ${schema}.run_result
      where run_id = any(:runs::uuid[]) and outcome = 'S' and item = -1
      order by last, step
      """;

  // By run_result_pkey. The failure of a map is that of its first element that failed.
  private static final String FAILURES =
      """
      select distinct on (s.run_id, s.step) s.run_id, s.step, s.code, s.message
      from unnest(:runs::uuid[], :steps::smallint[]) u(run_id, step)
      join ${schema}.run_result s on s.run_id = u.run_id and s.step = u.step
      where s.outcome <> 'S'
      order by s.run_id, s.step, s.item
      """;

  /** A run and what is needed about it. */
  record Wanted(RunFacts facts, RunData.Needs needs) {
    RunId id() {
      return facts.id();
    }
  }

  private record StepOf(UUID run, int step, boolean map) {}

  private record NameOf(UUID run, String name) {}

  private final String outputs;
  private final String signals;
  private final String successes;
  private final String failures;

  RunDataReads(Database database) {
    this.outputs = database.sql(OUTPUTS);
    this.signals = database.sql(SIGNALS);
    this.successes = database.sql(SUCCESSES);
    this.failures = database.sql(FAILURES);
  }

  Map<RunId, RunData> read(Handle handle, List<Wanted> wanted) {
    Map<RunId, Builder> builders = new HashMap<>();
    wanted.forEach(each -> builders.put(each.id(), new Builder(each)));
    outputs(handle, wanted, builders);
    signals(handle, wanted, builders);
    successes(handle, wanted, builders);
    failures(handle, wanted, builders);
    Map<RunId, RunData> data = new HashMap<>();
    builders.forEach((id, builder) -> data.put(id, builder.build()));
    return data;
  }

  private void outputs(Handle handle, List<Wanted> wanted, Map<RunId, Builder> builders) {
    List<StepOf> steps = new ArrayList<>();
    for (Wanted each : wanted) {
      each.needs.outputs().forEach(s -> steps.add(new StepOf(each.id().value(), s, false)));
      each.needs.items().forEach(s -> steps.add(new StepOf(each.id().value(), s, true)));
    }
    if (steps.isEmpty()) {
      return;
    }
    query(handle, outputs, steps, StepOf::run)
        .bindArray("steps", Integer.class, Columns.of(steps, StepOf::step))
        .bindArray("maps", Boolean.class, Columns.of(steps, StepOf::map))
        .map((row, context) -> {
          of(builders, row.getObject(1, UUID.class))
              .output(row.getInt(2), row.getInt(3), row.getString(4));
          return true;
        })
        .list();
  }

  private void signals(Handle handle, List<Wanted> wanted, Map<RunId, Builder> builders) {
    List<NameOf> names = new ArrayList<>();
    wanted.forEach(each ->
        each.needs.signals().forEach(name -> names.add(new NameOf(each.id().value(), name))));
    if (names.isEmpty()) {
      return;
    }
    query(handle, signals, names, NameOf::run)
        .bindArray("names", String.class, Columns.of(names, NameOf::name))
        .map((row, context) -> {
          RunData.Signal signal =
              new RunData.Signal(row.getString(2), row.getString(3), row.getString(4));
          of(builders, row.getObject(1, UUID.class)).signals.put(signal.name(), signal);
          return true;
        })
        .list();
  }

  private void successes(Handle handle, List<Wanted> wanted, Map<RunId, Builder> builders) {
    List<UUID> runs =
        wanted.stream().filter(w -> w.needs.successes()).map(w -> w.id().value()).toList();
    if (runs.isEmpty()) {
      return;
    }
    query(handle, successes, runs, Function.identity())
        .map((row, context) -> {
          Set<Integer> ended = of(builders, row.getObject(1, UUID.class)).successes;
          // A step that has an event comes later in the list, too.
          ended.remove(row.getInt(2));
          ended.add(row.getInt(2));
          return true;
        })
        .list();
  }

  private void failures(Handle handle, List<Wanted> wanted, Map<RunId, Builder> builders) {
    List<StepOf> steps = new ArrayList<>();
    wanted.forEach(each ->
        each.needs.failures().forEach(s -> steps.add(new StepOf(each.id().value(), s, false))));
    if (steps.isEmpty()) {
      return;
    }
    query(handle, failures, steps, StepOf::run)
        .bindArray("steps", Integer.class, Columns.of(steps, StepOf::step))
        .map((row, context) -> {
          of(builders, row.getObject(1, UUID.class))
              .failures
              .put(
                  row.getInt(2),
                  new RunData.Failure(
                      Objects.requireNonNullElse(row.getString(3), "TASK_FAILED"),
                      Objects.requireNonNullElse(row.getString(4), "")));
          return true;
        })
        .list();
  }

  private static <T> Query query(Handle handle, String sql, List<T> rows, Function<T, UUID> run) {
    return handle
        .createQuery(sql)
        .bindArray("runs", UUID.class, Columns.of(rows, row -> run.apply(row)));
  }

  private static Builder of(Map<RunId, Builder> builders, UUID run) {
    return Objects.requireNonNull(builders.get(new RunId(run)));
  }

  /** Collects the data of one run. */
  private static final class Builder {
    private final Map<Integer, Optional<String>> outputs = new HashMap<>();
    private final Map<Integer, @Nullable String[]> items = new HashMap<>();
    private final Map<String, RunData.Signal> signals = new HashMap<>();
    private final Set<Integer> successes = new LinkedHashSet<>();
    private final Map<Integer, RunData.Failure> failures = new HashMap<>();

    Builder(Wanted wanted) {
      for (int step : wanted.needs.items()) {
        MapCounts counts = wanted.facts.maps().get(step);
        items.put(step, new String[counts == null ? 0 : counts.total()]);
      }
    }

    void output(int step, int item, @Nullable String output) {
      @Nullable String[] list = items.get(step);
      if (item < 0) {
        outputs.put(step, Optional.ofNullable(output));
      } else if (list != null && item < list.length) {
        list[item] = output;
      }
    }

    RunData build() {
      Map<Integer, List<@Nullable String>> lists = new HashMap<>();
      items.forEach(
          (step, list) -> lists.put(step, Collections.unmodifiableList(Arrays.asList(list))));
      return new RunData(outputs, lists, signals, List.copyOf(successes), failures);
    }
  }
}
