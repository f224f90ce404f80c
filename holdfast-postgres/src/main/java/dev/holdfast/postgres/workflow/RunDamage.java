package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.postgres.db.Database;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Finds runs that are inconsistent with their jobs. A run that has marks is left alone: the next
 * advance changes it.
 */
final class RunDamage {
  private static final String UNMARKED =
      "not exists (select from ${schema}.run_mark m where m.run_id = r.id)";

  // By run_pkey, run_mark_run, job_run, run_parent and run_map_pkey.
  private static final String STUCK_STEPS =
      """
      select r.id, s.step
      from ${schema}.run r
      cross join lateral generate_series(0, length(r.steps) - 1) s(step)
      where r.id = any(:ids::uuid[]) and r.state <> 'QUEUED'
        and substr(r.steps, s.step + 1, 1) = 'A' and ${unmarked}
        and not exists (
          select from ${schema}.job j where j.run_id = r.id and j.step = s.step)
        and not exists (
          select from ${schema}.run c where c.parent_id = r.id and c.parent_step = s.step)
      order by r.id, s.step
      """;

  // By run_pkey, run_mark_run and signal_pkey.
  private static final String IDLE =
      """
      select r.id from ${schema}.run r
      where r.id = any(:ids::uuid[]) and r.state in ('RUNNING', 'CANCELLING') and ${unmarked}
        and (r.steps !~ '[AW]'
          or (r.steps ~ 'W' and exists (
            select from ${schema}.signal s where s.owner = r.id and s.consumed_by is null)))
      order by r.id
      """;

  // By run_pkey and job_run.
  private static final String STARTABLE_IN_PAUSED =
      """
      select r.id from ${schema}.run r
      where r.id = any(:ids::uuid[]) and r.state = 'PAUSED'
        and exists (
          select from ${schema}.job j
          where j.run_id = r.id and j.state in ('SCHEDULED', 'READY', 'CLAIMED', 'WAITING'))
      """;

  // By run_pkey and job_run.
  private static final String HELD_IN_ACTIVE =
      """
      select r.id from ${schema}.run r
      where r.id = any(:ids::uuid[]) and r.state in ('RUNNING', 'CANCELLING')
        and exists (
          select from ${schema}.job j where j.run_id = r.id and j.state = 'ON_HOLD')
      """;

  // By job_run and run_pkey. Jobs that run have outlived their step and end by themselves.
  private static final String ORPHANS =
      """
      select distinct j.run_id from ${schema}.job j
      where j.run_id is not null and j.state not in ('CLAIMED', 'RUNNING')
        and not exists (select from ${schema}.run r where r.id = j.run_id)
      limit :limit
      """;

  // By run_mark_run and run_pkey.
  private static final String ORPHAN_MARKS =
      """
      delete from ${schema}.run_mark m
      where not exists (select from ${schema}.run r where r.id = m.run_id)
      """;

  /** A step that is active although nothing will end it. */
  record Stuck(RunId run, int step) {}

  private final String stuckSteps;
  private final String idle;
  private final String startableInPaused;
  private final String heldInActive;
  private final String orphans;
  private final String orphanMarks;

  RunDamage(Database database) {
    this.stuckSteps = complete(database, STUCK_STEPS);
    this.idle = complete(database, IDLE);
    this.startableInPaused = complete(database, STARTABLE_IN_PAUSED);
    this.heldInActive = complete(database, HELD_IN_ACTIVE);
    this.orphans = database.sql(ORPHANS);
    this.orphanMarks = database.sql(ORPHAN_MARKS);
  }

  private static String complete(Database database, String sql) {
    return database.sql(sql.replace("${unmarked}", UNMARKED));
  }

  List<Stuck> stuckSteps(Handle handle, Collection<RunId> runs) {
    return handle
        .createQuery(stuckSteps)
        .bindArray("ids", UUID.class, Columns.ids(runs))
        .map((row, context) -> new Stuck(new RunId(row.getObject(1, UUID.class)), row.getInt(2)))
        .list();
  }

  List<RunId> idle(Handle handle, Collection<RunId> runs) {
    return runs(handle, idle, runs);
  }

  List<RunId> startableInPaused(Handle handle, Collection<RunId> runs) {
    return runs(handle, startableInPaused, runs);
  }

  List<RunId> heldInActive(Handle handle, Collection<RunId> runs) {
    return runs(handle, heldInActive, runs);
  }

  /** Returns the ids of runs that do not exist and have jobs. */
  List<RunId> orphans(Handle handle, int limit) {
    return handle.createQuery(orphans).bind("limit", limit).mapTo(UUID.class).list().stream()
        .map(RunId::new)
        .toList();
  }

  int deleteOrphanMarks(Handle handle) {
    return handle.createUpdate(orphanMarks).execute();
  }

  private static List<RunId> runs(Handle handle, String sql, Collection<RunId> runs) {
    return handle
        .createQuery(sql)
        .bindArray("ids", UUID.class, Columns.ids(runs))
        .mapTo(UUID.class)
        .list()
        .stream()
        .map(RunId::new)
        .toList();
  }
}
