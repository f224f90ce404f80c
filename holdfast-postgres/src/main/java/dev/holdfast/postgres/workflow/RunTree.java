package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.postgres.db.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Locks runs FOR UPDATE, and the runs below them level by level. The ids of child runs are greater
 * than that of their parent, so this locks in the order of ids.
 */
final class RunTree {
  private static final String COLUMNS =
      "r.id, r.state, r.phase, r.steps, r.definition, r.parent_id, r.parent_step, r.gate";

  // By run_pkey.
  private static final String LOCK =
      """
      select ${columns} from ${schema}.run r
      where r.id = any(:ids::uuid[]) order by r.id for update
      """;

  // By run_parent.
  private static final String CHILDREN =
      """
      select ${columns} from ${schema}.run r
      where r.parent_id = any(:ids::uuid[]) order by r.id for update
      """;

  // By run_parent.
  private static final String CHILDREN_OF_STEPS =
      """
      select ${columns}
      from unnest(:ids::uuid[], :steps::int[]) t(id, step)
      join ${schema}.run r on r.parent_id = t.id and r.parent_step = t.step
      order by r.id for update of r
      """;

  /** An open run that is locked. */
  record Locked(
      RunId id,
      RunState state,
      RunPhase phase,
      String steps,
      int definition,
      @Nullable UUID parent,
      @Nullable Integer parentStep,
      @Nullable UUID gate) {

    static Locked read(ResultSet row) throws SQLException {
      return new Locked(
          new RunId(row.getObject(1, UUID.class)),
          RunState.valueOf(row.getString(2)),
          RunPhase.valueOf(row.getString(3)),
          row.getString(4),
          row.getInt(5),
          row.getObject(6, UUID.class),
          row.getObject(7, Integer.class),
          row.getObject(8, UUID.class));
    }
  }

  private final String lock;
  private final String children;
  private final String childrenOfSteps;

  RunTree(Database database) {
    this.lock = complete(database, LOCK);
    this.children = complete(database, CHILDREN);
    this.childrenOfSteps = complete(database, CHILDREN_OF_STEPS);
  }

  private static String complete(Database database, String sql) {
    return database.sql(sql.replace("${columns}", COLUMNS));
  }

  Optional<Locked> lock(Handle handle, RunId id) {
    return lock(handle, List.of(id)).stream().findFirst();
  }

  List<Locked> lock(Handle handle, Collection<RunId> ids) {
    return ids.isEmpty() ? List.of() : read(handle, lock, Columns.ids(ids));
  }

  /** Locks all runs below the given ones, which are locked. */
  List<Locked> below(Handle handle, Collection<RunId> runs) {
    List<Locked> all = new ArrayList<>();
    List<UUID> level = Columns.ids(runs);
    while (!level.isEmpty()) {
      List<Locked> found = read(handle, children, level);
      all.addAll(found);
      level = found.stream().map(run -> run.id().value()).toList();
    }
    return all;
  }

  /** Locks the child runs of steps, and all runs below them. */
  List<Locked> belowSteps(Handle handle, List<StepJobs.Target> steps) {
    if (steps.isEmpty()) {
      return List.of();
    }
    List<Locked> all =
        new ArrayList<>(
            handle
                .createQuery(childrenOfSteps)
                .bindArray("ids", UUID.class, Columns.of(steps, target -> target.run().value()))
                .bindArray("steps", Integer.class, Columns.of(steps, StepJobs.Target::step))
                .map((row, context) -> Locked.read(row))
                .list());
    all.addAll(below(handle, all.stream().map(Locked::id).toList()));
    return all;
  }

  private static List<Locked> read(Handle handle, String sql, List<UUID> ids) {
    return handle
        .createQuery(sql)
        .bindArray("ids", UUID.class, ids)
        .map((row, context) -> Locked.read(row))
        .list();
  }
}
