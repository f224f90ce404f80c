package dev.holdfast.postgres.rule;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.TaskStore.Rule;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jdbi.v3.core.Handle;

/**
 * Admits claims of a task with rules, one at a time. It locks the row of the task in one statement,
 * and counts and claims in later ones, whose snapshots are newer than the lock.
 */
public final class TaskRuleGate {
  // By job_pkey.
  private static final String IS_HELD =
      """
      select exists (
        select from ${schema}.job
        where id = :id and token = :token and state in ('CLAIMED', 'RUNNING'))
      """;

  private final Database database;
  private final HeldCount heldCount;

  public TaskRuleGate(Database database) {
    this.database = database;
    this.heldCount = HeldCount.ofTask(database);
  }

  /**
   * Claims no more jobs than the rules of the only task allow, in the transaction of the handle.
   *
   * @param claim claims at most the given number of jobs
   */
  public List<ClaimedJob> claim(
      Handle handle,
      ClaimRequest request,
      Rule believed,
      int wanted,
      IntFunction<List<ClaimedJob>> claim) {
    Optional<TaskRow> found = TaskRow.lock(database, handle, request.tasks().getFirst());
    Integer limit = found.map(TaskRow::limit).orElse(null);
    if (found.isEmpty() || !Objects.equals(limit, believed.limit())) {
      return List.of();
    }
    TaskRow row = found.get();
    int room =
        limit == null ? wanted : (int) Math.min(wanted, limit - heldCount.of(handle, row.task()));
    if (room <= 0) {
      return List.of();
    }
    if (row.circuit().isClosed()) {
      return claim.apply(room);
    }
    if (!row.circuit().mayProbe(row.now(), probe -> isHeld(handle, probe))) {
      return List.of();
    }
    List<ClaimedJob> probe = claim.apply(1);
    probe.forEach(
        job -> row.write(database, handle, row.circuit().probing(job.claim(), row.now())));
    return probe;
  }

  private boolean isHeld(Handle handle, ClaimId claim) {
    return handle
        .createQuery(database.sql(IS_HELD))
        .bind("id", claim.id().value())
        .bind("token", claim.token())
        .map((row, context) -> row.getBoolean(1))
        .one();
  }
}
