package dev.holdfast.postgres.claim;

import dev.holdfast.postgres.db.Database;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the stacks that have ready jobs, for nodes that serve all stacks. A claim then names them,
 * like the claim of a node that serves a list of stacks, and uses the same indexes.
 *
 * <p>What was found is used for a quarter of a second, so that a node that claims all the time
 * looks rarely. Where a look is slow, because an old snapshot keeps index entries of finished jobs,
 * at most a twentieth of the time is spent on it.
 */
final class ReadyStacks {
  private static final long KEPT = Duration.ofMillis(250).toNanos();
  private static final int LOOK_SHARE = 20;

  // By job_ready_stack: one descent for each stack of each task, however many jobs it has. Crash
  // suspects, which are few, by job_ready_suspect.
  private static final String FIND =
      """
      with recursive found(task, stack) as (
        select k.task, (
          select r.stack from ${schema}.job r
          where r.state = 'READY' and r.stack is not null and r.suspicion is null
            and r.queue = :queue and r.task = k.task
          order by r.stack limit 1)
        from unnest(:tasks::text[]) k(task)
        union all
        select f.task, (
          select r.stack from ${schema}.job r
          where r.state = 'READY' and r.stack is not null and r.suspicion is null
            and r.queue = :queue and r.task = f.task and r.stack > f.stack
          order by r.stack limit 1)
        from found f
        where f.stack is not null
      )
      select f.stack from found f where f.stack is not null
      union
      select r.stack from ${schema}.job r
      where r.state = 'READY' and r.suspicion is not null and r.stack is not null
        and r.queue = :queue and r.task = any(:tasks::text[])
      """;

  private final Database database;
  private final String find;
  private final LaneMemory<Known> lanes = new LaneMemory<>(Known::new);

  ReadyStacks(Database database) {
    this.database = database;
    this.find = database.sql(FIND);
  }

  /** Returns the stacks that have, or had a moment ago, ready jobs of these tasks in this queue. */
  Set<String> of(String queue, List<String> tasks) {
    Known known = lanes.of(queue, tasks, Set.of());
    Seen seen = known.latest;
    long now = System.nanoTime();
    if (seen == null || now - seen.until >= 0) {
      Set<String> stacks = look(queue, tasks);
      long end = System.nanoTime();
      seen = new Seen(stacks, end + Math.max(KEPT, (end - now) * LOOK_SHARE));
      known.latest = seen;
    }
    return seen.stacks;
  }

  private Set<String> look(String queue, List<String> tasks) {
    return database.run(
        "look for the stacks that have jobs in queue %s".formatted(queue),
        handle ->
            Set.copyOf(
                handle
                    .createQuery(find)
                    .bind("queue", queue)
                    .bindArray("tasks", String.class, Set.copyOf(tasks))
                    .mapTo(String.class)
                    .set()));
  }

  /** What is known about one lane. Two claimers that look at the same time do no harm. */
  private static final class Known {
    private volatile @Nullable Seen latest;
  }

  /**
   * What a look found.
   *
   * @param until when to look again, as a nanoTime
   */
  private record Seen(Set<String> stacks, long until) {}
}
