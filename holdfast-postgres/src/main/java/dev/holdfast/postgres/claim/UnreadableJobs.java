package dev.holdfast.postgres.claim;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.FailureJson;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.TallyShards;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dead-letters claimed jobs whose rows cannot be read. If they were handed back, they would be
 * claimed again and again, before all other jobs.
 */
final class UnreadableJobs {
  private static final Logger log = LoggerFactory.getLogger(UnreadableJobs.class);

  // By job_pkey.
  private static final String BURY =
      """
      with gone as (
        delete from ${schema}.job j
        using unnest(:ids::uuid[], :tokens::bigint[], :failures::text[]) f(id, token, failure)
        where j.id = f.id and j.token = f.token
          and coalesce(j.state in ('CLAIMED', 'RUNNING') and j.incarnation = :incarnation, false)
        returning ${columns}, ${failures} as failures, 'FAILED' as ended,
                  (select n.id from ${schema}.node n where n.incarnation = :incarnation) as node
      ), dead as (
        ${dead}
      ), tally as (
        ${tally}
      )
      select id from gone
      """;

  private final TallyShards shards = new TallyShards();
  private final String bury;

  /**
   * A job that this node has just claimed.
   *
   * @param attempt the number of attempts that have started
   */
  record Unreadable(ClaimId held, int attempt, Exception why) {
    JobId id() {
      return held.id();
    }

    String failure() {
      return FailureJson.write(
          new Finish.Failure(
              attempt,
              FailureCode.UNREADABLE,
              why.getClass().getName(),
              "The stored row of this job cannot be read: " + why.getMessage(),
              null,
              ""),
          held.token());
    }
  }

  UnreadableJobs(Database database) {
    this.bury = database.sql(History.into(BURY));
  }

  /** Dead-letters jobs that this incarnation has claimed and cannot read. */
  void bury(Handle handle, UUID incarnation, List<Unreadable> jobs) {
    for (Unreadable job : jobs) {
      log.error("Job {} cannot be read and is moved to the dead-letter queue", job.id(), job.why());
    }
    handle
        .createQuery(bury)
        .bind("incarnation", incarnation)
        .bind("shard", shards.next())
        .bindArray("ids", UUID.class, jobs.stream().map(job -> job.id().value()).toList())
        .bindArray("tokens", Long.class, jobs.stream().map(job -> job.held().token()).toList())
        .bindArray("failures", String.class, jobs.stream().map(Unreadable::failure).toList())
        .mapTo(UUID.class)
        .list();
  }
}
