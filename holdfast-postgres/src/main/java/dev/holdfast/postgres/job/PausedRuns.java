package dev.holdfast.postgres.job;

import dev.holdfast.postgres.db.Database;
import java.util.Collection;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Keeps the jobs of paused runs from becoming startable: parts of the statements that make a held
 * job SCHEDULED or READY again.
 *
 * <p>Such a statement follows {@link #lock} in the same transaction. A pause either comes before
 * the lock, and the statement sees it, or waits for the transaction and then finds the job. Locks
 * are taken in the order run, then job, so the lock must also precede every other write to jobs of
 * runs in the transaction.
 */
public final class PausedRuns {
  // By job_pkey and run_pkey, in the order of ids. Other transactions that advance the run are not
  // held up by this lock, only those that pause, cancel or end it.
  private static final String LOCK =
      """
      select r.id from ${schema}.run r
      where r.id in (
        select j.run_id from ${schema}.job j
        where j.id = any(:ids::uuid[]) and j.run_id is not null)
      order by r.id
      for key share
      """;

  // By run_pkey, and only for jobs of runs.
  private static final String PAUSED =
      """
      (j.run_id is not null and exists (
        select from ${schema}.run r where r.id = j.run_id and r.state = 'PAUSED'))\
      """;

  private final String lock;

  public PausedRuns(Database database) {
    this.lock = database.sql(LOCK);
  }

  /**
   * Completes a statement that updates {@code job j}: {@code paused} is the condition that the job
   * belongs to a run that is paused.
   */
  public static String in(String statement) {
    return statement.replace("${paused}", PAUSED);
  }

  /** Locks the open runs of jobs, and returns whether there are any. */
  public boolean lock(Handle handle, Collection<UUID> jobs) {
    return !handle
        .createQuery(lock)
        .bindArray("ids", UUID.class, jobs)
        .mapTo(UUID.class)
        .list()
        .isEmpty();
  }
}
