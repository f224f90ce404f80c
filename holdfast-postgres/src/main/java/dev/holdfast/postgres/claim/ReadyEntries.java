package dev.holdfast.postgres.claim;

import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.postgres.db.Database;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Counts the index entries that a claim reads before it reaches the first ready job. The server
 * counts the index entries it reads, so the result does not depend on its speed or on the network.
 */
final class ReadyEntries {
  // By job_ready and job_ready_stack. The case makes sure that the heads are read first.
  private static final String COUNT =
      """
      with heads as materialized (
        select h.found
        from unnest(:tasks::text[]) k(task)
        cross join lateral (
          select true as found from ${schema}.job r
          where r.state = 'READY' and r.stack is null and r.suspicion is null
            and r.queue = :queue and r.task = k.task
          order by r.rank limit 1
        ) h
        union all
        select h.found
        from unnest(:tasks::text[]) k(task)
        cross join unnest(:stacks::text[]) s(stack)
        cross join lateral (
          select true as found from ${schema}.job r
          where r.state = 'READY' and r.stack = s.stack and r.suspicion is null
            and r.queue = :queue and r.task = k.task
          order by r.rank limit 1
        ) h
      )
      select case when (select count(*) from heads) >= 0
        then pg_stat_get_xact_tuples_returned('${schema}.job_ready'::regclass)
           + pg_stat_get_xact_tuples_returned('${schema}.job_ready_stack'::regclass)
        end
      """;

  private final String count;

  ReadyEntries(Database database) {
    this.count = database.sql(COUNT);
  }

  /** Counts the entries, on a handle that has read neither index in its transaction. */
  long before(Handle handle, ClaimRequest request) {
    return handle
        .createQuery(count)
        .bind("queue", request.queue())
        .bindArray("tasks", String.class, Set.copyOf(request.tasks()))
        .bindArray("stacks", String.class, request.stacks())
        .map((row, context) -> row.getLong(1))
        .one();
  }
}
