package dev.holdfast.postgres.workflow;

import dev.holdfast.engine.store.RunControl.Reset;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.workflow.RunTree.Locked;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/** Sets the timers of steps that a retry continues without the planner: maps and child runs. */
final class RetriedTimers {
  // Conflicts on run_timer_pkey.
  private static final String SET =
      """
      insert into ${schema}.run_timer (run_id, step, kind, due_at)
      select :run, u.step, 'TIMED_OUT', now() + u.delay * interval '1 microsecond'
      from unnest(:steps::smallint[], :delays::bigint[]) u(step, delay)
      on conflict (run_id, step, kind) do update set due_at = excluded.due_at
      """;

  private final String set;

  RetriedTimers(Database database) {
    this.set = database.sql(SET);
  }

  void set(Handle handle, Locked run, List<Integer> steps, Reset reset) {
    Map<Integer, Duration> limits = new TreeMap<>();
    steps.forEach(
        step -> reset.timeout(run.definition(), step).ifPresent(limit -> limits.put(step, limit)));
    if (!limits.isEmpty()) {
      handle
          .createUpdate(set)
          .bind("run", run.id().value())
          .bindArray("steps", Integer.class, List.copyOf(limits.keySet()))
          .bindArray("delays", Long.class, Columns.of(limits.values(), SqlValues::micros))
          .execute();
    }
  }
}
