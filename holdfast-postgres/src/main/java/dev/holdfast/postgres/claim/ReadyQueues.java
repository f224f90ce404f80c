package dev.holdfast.postgres.claim;

import dev.holdfast.engine.store.Stacks;
import dev.holdfast.postgres.db.Database;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Finds the queues with ready jobs among thousands that usually have none. */
final class ReadyQueues {
  // By job_ready, job_ready_suspect and job_ready_stack; reads their heads until one is found. A
  // lateral subquery with a limit, because "exists ... or exists" may read a whole index.
  private static final String FIND =
      """
      select q.name
      from unnest(:queues::text[]) q(name)
      cross join lateral (
        (select from ${schema}.job r
         where r.state = 'READY' and r.stack is null and r.suspicion is null and r.queue = q.name
         limit 1)
        union all
        (select from ${schema}.job r
         where r.state = 'READY' and r.suspicion is not null and r.queue = q.name ${served}
         limit 1)
        union all
        (select from unnest(:tasks::text[]) k(task)
         ${stacks}
         cross join lateral (
           select from ${schema}.job r
           where r.state = 'READY' and r.suspicion is null
             and r.queue = q.name and r.task = k.task and ${stack}
           limit 1
         ) one
         limit 1)
        limit 1
      ) found
      """;

  private final String find;
  private final String findInAllStacks;

  ReadyQueues(Database database) {
    this.find =
        database.sql(
            complete(
                "and (r.stack is null or r.stack = any(:stacks::text[]))",
                "cross join unnest(:stacks::text[]) s(stack)",
                "r.stack = s.stack"));
    this.findInAllStacks = database.sql(complete("", "", "r.stack is not null"));
  }

  private static String complete(String served, String stacks, String stack) {
    return FIND.replace("${served}", served)
        .replace("${stacks}", stacks)
        .replace("${stack}", stack);
  }

  Set<String> find(Handle handle, Set<String> queues, Set<String> tasks, Set<String> stacks) {
    Query query =
        Stacks.areAll(stacks)
            ? handle.createQuery(findInAllStacks)
            : handle.createQuery(find).bindArray("stacks", String.class, stacks);
    return query
        .bindArray("queues", String.class, queues)
        .bindArray("tasks", String.class, tasks)
        .mapTo(String.class)
        .set();
  }
}
