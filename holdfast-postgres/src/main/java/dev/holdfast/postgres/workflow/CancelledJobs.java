package dev.holdfast.postgres.workflow;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.JobColumns;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Keeps the journals of cancelled steps when their run is retried. The id of a cancelled job is in
 * history and cannot be used again, so the journal gets the id of a copy, which waits in the
 * dead-letter queue like the job of a failed step.
 */
final class CancelledJobs {
  // By run_result_pkey and journal_pkey.
  private static final String WITH_JOURNAL =
      """
      select r.job_id from ${schema}.run_result r
      where r.run_id = :run and r.step = any(:steps::smallint[]) and r.item = -1
        and r.outcome = 'C'
        and exists (select from ${schema}.journal n where n.job_id = r.job_id)
      """;

  // By job_history_id of all partitions, and journal_pkey.
  private static final String COPY =
      """
      with copied as (
        insert into ${schema}.dead_letter (id, ${names}, finished_at, node)
        select :fresh, ${names}, finished_at, node
        from ${schema}.job_history where id = :old
        returning id
      )
      update ${schema}.journal set job_id = :fresh
      where job_id = :old and exists (select from copied)
      """;

  private final String withJournal;
  private final String copy;

  CancelledJobs(Database database) {
    this.withJournal = database.sql(WITH_JOURNAL);
    this.copy = database.sql(JobColumns.fromHistory(COPY));
  }

  /** Keeps the journals of those of the steps that were cancelled and have one. */
  void keep(Handle handle, RunId run, Collection<Integer> steps) {
    List<UUID> jobs =
        handle
            .createQuery(withJournal)
            .bind("run", run.value())
            .bindArray("steps", Integer.class, steps)
            .mapTo(UUID.class)
            .list();
    for (UUID job : jobs) {
      handle
          .createUpdate(copy)
          .bind("old", job)
          .bind("fresh", UuidCreator.getTimeOrderedEpochPlus1())
          .execute();
    }
  }
}
