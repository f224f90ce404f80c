package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.workflow.RunDamage.Stuck;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Finds runs that are inconsistent with their jobs, and repairs them. It looks without locks first,
 * because hardly any run needs a repair, and again under the lock of the run.
 */
final class PgRunRepair implements RunRepair {
  // By run_pkey.
  private static final String NEXT =
      """
      select id, case when state = 'QUEUED' then gate end from ${schema}.run
      where :after::uuid is null or id > :after::uuid
      order by id limit :limit
      """;

  // By run_pkey. A run that is locked is being changed, and is looked at in the next round.
  private static final String LOCK =
      """
      select id from ${schema}.run where id = any(:ids::uuid[]) order by id for update skip locked
      """;

  private final Database database;
  private final StepJobs jobs;
  private final RunNotes notes;
  private final RunDamage damage;
  private final StuckSteps stuckSteps;
  private final Gates gates;
  private final String next;
  private final String lock;

  PgRunRepair(Database database, StepJobs jobs, Gates gates) {
    this.database = database;
    this.jobs = jobs;
    this.notes = new RunNotes(database);
    this.damage = new RunDamage(database);
    this.stuckSteps = new StuckSteps(database);
    this.gates = gates;
    this.next = database.sql(NEXT);
    this.lock = database.sql(LOCK);
  }

  private record Seen(RunId id, @Nullable UUID gate) {}

  @Override
  public Report repair(@Nullable RunId after, int limit) {
    List<String> repairs = new ArrayList<>();
    Set<RunId> look = new HashSet<>();
    List<Seen> seen = database.run("look for runs to repair", handle -> next(handle, after, limit));
    List<RunId> runs = seen.stream().map(Seen::id).toList();
    Set<RunId> suspects =
        runs.isEmpty()
            ? Set.of()
            : database.run("look for runs to repair", handle -> suspects(handle, runs));
    if (!suspects.isEmpty()) {
      Deadlocks.repeat(() ->
          database.transaction(
              "repair %d runs".formatted(suspects.size()),
              handle -> repair(handle, suspects, repairs, look)));
    }
    Set<UUID> waiting = new TreeSet<>();
    for (Seen run : seen) {
      if (run.gate != null) {
        waiting.add(run.gate);
      }
    }
    look.addAll(gates.letThrough(waiting));
    if (after == null) {
      database.transaction("end jobs without a run", handle -> endOrphans(handle, limit, repairs));
    }
    return new Report(
        runs.size() < limit || runs.isEmpty() ? null : runs.getLast(),
        List.copyOf(repairs),
        Set.copyOf(look));
  }

  private List<Seen> next(Handle handle, @Nullable RunId after, int limit) {
    return handle
        .createQuery(next)
        .bind("after", after == null ? null : after.value())
        .bind("limit", limit)
        .map((row, context) ->
            new Seen(new RunId(row.getObject(1, UUID.class)), row.getObject(2, UUID.class)))
        .list();
  }

  private Set<RunId> suspects(Handle handle, List<RunId> runs) {
    Set<RunId> suspects = new TreeSet<>();
    damage.stuckSteps(handle, runs).forEach(stuck -> suspects.add(stuck.run()));
    suspects.addAll(damage.idle(handle, runs));
    suspects.addAll(damage.startableInPaused(handle, runs));
    suspects.addAll(damage.heldInActive(handle, runs));
    return suspects;
  }

  private boolean repair(Handle handle, Set<RunId> suspects, List<String> repairs, Set<RunId> look)
      throws SQLException {
    repairs.clear();
    look.clear();
    List<RunId> runs =
        handle
            .createQuery(lock)
            .bindArray("ids", UUID.class, Columns.ids(suspects))
            .mapTo(UUID.class)
            .list()
            .stream()
            .map(RunId::new)
            .toList();
    List<RunId> idle = damage.idle(handle, runs);
    for (Stuck stuck : damage.stuckSteps(handle, runs)) {
      repairs.add(stuckSteps.repair(handle, stuck));
      look.add(stuck.run());
    }
    notes.look(handle, idle);
    idle.forEach(
        run -> repairs.add("Run %s: marked, because nothing would move it".formatted(run)));
    look.addAll(idle);
    List<RunId> startable = damage.startableInPaused(handle, runs);
    jobs.hold(handle, startable);
    startable.forEach(run -> repairs.add("Run %s: put its jobs on hold".formatted(run)));
    List<RunId> held = damage.heldInActive(handle, runs);
    boolean released = !jobs.release(handle, held).isEmpty();
    held.forEach(run -> repairs.add("Run %s: released its jobs".formatted(run)));
    return released;
  }

  private boolean endOrphans(Handle handle, int limit, List<String> repairs) {
    damage
        .deleteOrphanMarks(handle)
        .forEach(run -> repairs.add("Run %s does not exist: deleted its marks".formatted(run)));
    List<RunId> orphans = damage.orphans(handle, limit);
    StepJobs.Stopped stopped =
        jobs.cancel(handle, orphans.stream().map(run -> new StepJobs.Target(run, null)).toList());
    stopped
        .marked()
        .forEach(run -> repairs.add("Run %s does not exist: cancelled its jobs".formatted(run)));
    // The jobs that were cancelled have left marks.
    return !orphans.isEmpty() && !damage.deleteOrphanMarks(handle).isEmpty();
  }
}
