package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunControl.Move;
import dev.holdfast.engine.store.RunControl.MovedJobs;
import dev.holdfast.postgres.db.Database;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Moves a locked run to another graph: everything that names a step by position is renumbered. */
final class RunMove {
  /** Greater than any position, so that positions can be exchanged without a conflict. */
  private static final int ASIDE = 10_000;

  // By workflow_definition_pkey.
  private static final String RETIRED =
      "select name from ${schema}.workflow_definition where id = :id and retired_at is not null";

  // By run_pkey.
  private static final String MOVE =
      "update ${schema}.run set definition = :definition, steps = :steps where id = :id";

  // By job_run, dead_letter_run, run_result_pkey, run_map_pkey, run_timer_pkey, run_mark_run,
  // run_event_pkey and run_parent.
  private static final String PUT_ASIDE =
      """
      update ${schema}.${table} t set ${step} = t.${step} + :aside
      where t.${run} = :id and t.${step} >= 0
      """;

  private static final String RENUMBER =
      """
      update ${schema}.${table} t set ${step} = u.new_step
      from unnest(:old::int[], :new::smallint[]) u(old_step, new_step)
      where t.${run} = :id and t.${step} = u.old_step
      """;

  // By job_run; ordered, so that jobs are locked in the order of their ids.
  private static final String REWORK =
      """
      with held as materialized (
        select j.id, u.task, u.queue, u.policy
        from ${schema}.job j
        join unnest(:steps::smallint[], :tasks::text[], :queues::text[], :policies::text[])
          u(step, task, queue, policy) on u.step = j.step
        where j.run_id = :id and j.state in ('SCHEDULED', 'READY', 'WAITING', 'ON_HOLD')
        order by j.id for update of j
      )
      update ${schema}.job j set task = h.task, queue = h.queue, policy = h.policy
      from held h
      where j.id = h.id
      returning j.queue, j.state = 'READY'
      """;

  private final RunNotes notes;
  private final String retired;
  private final String move;
  private final String rework;
  private final List<String> renumber = new ArrayList<>();

  RunMove(Database database) {
    this.notes = new RunNotes(database);
    this.retired = database.sql(RETIRED);
    this.move = database.sql(MOVE);
    this.rework = database.sql(REWORK);
    for (String table :
        List.of(
            "job", "dead_letter", "run_result", "run_map", "run_timer", "run_mark", "run_event")) {
      add(database, table, "run_id", "step");
    }
    add(database, "run", "parent_id", "parent_step");
    add(database, "run_history", "parent_id", "parent_step");
  }

  private void add(Database database, String table, String run, String step) {
    for (String sql : List.of(PUT_ASIDE, RENUMBER)) {
      renumber.add(
          database.sql(
              sql.replace("${table}", table).replace("${run}", run).replace("${step}", step)));
    }
  }

  /**
   * Moves a run. Returns how many of its READY jobs are run differently now, by queue.
   *
   * @throws RetiredDefinitionException if the graph is retired
   */
  Map<String, Integer> move(Handle handle, RunId id, Move to) {
    requireInUse(handle, to.definition());
    List<Map.Entry<Integer, Integer>> pairs = List.copyOf(to.positions().entrySet());
    for (String sql : renumber) {
      handle
          .createUpdate(sql)
          .bind("id", id.value())
          .bind("aside", ASIDE)
          .bindArray("old", Integer.class, Columns.of(pairs, pair -> pair.getValue() + ASIDE))
          .bindArray("new", Integer.class, Columns.of(pairs, Map.Entry::getKey))
          .execute();
    }
    handle
        .createUpdate(move)
        .bind("id", id.value())
        .bind("definition", to.definition())
        .bind("steps", to.steps())
        .execute();
    notes.event(handle, List.of(id), RunEvent.Kind.MOVED, null);
    notes.look(handle, List.of(id));
    return to.jobs().isEmpty() ? Map.of() : rework(handle, id, to.jobs());
  }

  private void requireInUse(Handle handle, int definition) {
    handle
        .createQuery(retired)
        .bind("id", definition)
        .mapTo(String.class)
        .findOne()
        .ifPresent(workflow -> {
          throw new RetiredDefinitionException(workflow);
        });
  }

  private Map<String, Integer> rework(Handle handle, RunId id, Map<Integer, MovedJobs> jobs) {
    List<Map.Entry<Integer, MovedJobs>> changes = List.copyOf(jobs.entrySet());
    Map<String, Integer> ready = new HashMap<>();
    handle
        .createQuery(rework)
        .bind("id", id.value())
        .bindArray("steps", Integer.class, Columns.of(changes, Map.Entry::getKey))
        .bindArray("tasks", String.class, Columns.of(changes, c -> c.getValue().task()))
        .bindArray("queues", String.class, Columns.of(changes, c -> c.getValue().queue()))
        .bindArray("policies", String.class, Columns.of(changes, c -> c.getValue().policy()))
        .map((row, context) -> row.getBoolean(2) ? row.getString(1) : null)
        .list()
        .forEach(queue -> {
          if (queue != null) {
            ready.merge(queue, 1, Integer::sum);
          }
        });
    return ready;
  }
}
