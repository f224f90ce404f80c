package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.postgres.db.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Moves a locked run to another graph: everything that names a step by position is renumbered. */
final class RunMove {
  /** Greater than any position, so that positions can be exchanged without a conflict. */
  private static final int ASIDE = 10_000;

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

  private final RunParts parts;
  private final String move;
  private final List<String> renumber = new ArrayList<>();

  RunMove(Database database, RunParts parts) {
    this.parts = parts;
    this.move = database.sql(MOVE);
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
   * Moves a run.
   *
   * @param positions the old position of each step, by new position
   */
  void move(
      Handle handle, RunId id, int definition, String steps, Map<Integer, Integer> positions) {
    List<Map.Entry<Integer, Integer>> pairs = List.copyOf(positions.entrySet());
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
        .bind("definition", definition)
        .bind("steps", steps)
        .execute();
    parts.notes().event(handle, List.of(id), RunEvent.Kind.MOVED, null);
    parts.notes().look(handle, List.of(id));
  }
}
