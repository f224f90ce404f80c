package dev.holdfast.postgres.liveness;

import dev.holdfast.engine.store.NodeStore.Dead;
import dev.holdfast.engine.store.NodeStore.Look;
import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds silent and dead nodes, and marks nodes dead. */
final class NodeWatch {
  /**
   * Where the position in the ring of nodes starts in the text of an incarnation, as in the
   * generated column.
   */
  private static final int PLACE = 24;

  // By node_circle: first the position of the last node to watch, which is after the watcher or,
  // once around the ring, before it; then all nodes up to that position. 'g' and '' come after and
  // before every position. Dead nodes by node_unswept; their jobs by job_held, starting at the
  // oldest claim call that may still hold jobs. One statement, so that a sweep that finds nothing
  // costs one round trip.
  private static final String LOOK =
      """
      with enabled as materialized (
        select e.lap, e.place
        from (
          (select 0 as lap, n.place from ${schema}.node n
           where n.state = 'ALIVE' and n.mode <> 'DISABLED' and n.place >= :place
             and n.incarnation <> :watcher
           order by n.place limit :reach)
          union all
          (select 1, n.place from ${schema}.node n
           where n.state = 'ALIVE' and n.mode <> 'DISABLED' and n.place < :place
           order by n.place limit :reach)
        ) e
        order by e.lap, e.place limit :reach
      ), edge as materialized (
        select case when count(*) < :reach or max(lap) = 1 then 'g' else max(place) end as after,
               case when count(*) < :reach then 'g'
                    else coalesce(max(place) filter (where lap = 1), '') end as before
        from enabled
      ), seen as (
        select n.* from ${schema}.node n
        where n.state = 'ALIVE' and n.place >= :place and n.place <= (select after from edge)
          and n.incarnation <> :watcher
        union all
        select n.* from ${schema}.node n
        where n.state = 'ALIVE' and n.place < :place and n.place <= (select before from edge)
      )
      select s.incarnation, s.id, s.claimed_terms, s.terms, s.beat, ${holds of s}, null, null
      from seen s
      union all
      select d.incarnation, d.id, null, null, null, null, d.death, coalesce(d.died_for, 0)
      from ${schema}.node d
      where :dead and d.state = 'DEAD' and not d.swept and ${holds of d}
      """
          .replace("${holds of s}", holds("s"))
          .replace("${holds of d}", holds("d"));

  private static String holds(String node) {
    return """
    exists (
        select from ${schema}.job j
        where j.incarnation = ${node}.incarnation and j.claim_no >= ${node}.from_call
          and j.state in ('CLAIMED', 'RUNNING'))\
    """
        .replace("${node}", node);
  }

  // Reads the live nodes by node_circle. Used only for jobs whose task decides what happens after a
  // crash, on nodes that do not know that task.
  private static final String ADVISED =
      """
      select exists (
        select from ${schema}.node n
        where n.state = 'ALIVE' and n.mode <> 'DISABLED' and :task = any(n.advises)
          and (n.sweeps is null or :stack::text is null or :stack = any(n.sweeps)))
      """;

  // By node_pkey.
  private static final String MARK_DEAD =
      """
      update ${schema}.node set
        state = 'DEAD', died_at = now(), death = 'SILENCE', died_for = :silence,
        running = 0, lost_slots = 0, lost_lanes = '{}'
      where incarnation = :incarnation and beat = :beat and state = 'ALIVE'
      """;

  private final Database database;
  private final boolean ofProcesses;
  private final String look;

  /**
   * @param ofProcesses whether the processes of the nodes send the heartbeats
   */
  NodeWatch(Database database, boolean ofProcesses) {
    this.database = database;
    this.ofProcesses = ofProcesses;
    this.look = database.sql(LOOK);
  }

  Look look(UUID watcher, int reach, boolean dead) {
    return database.run(
        "look for silent and dead nodes",
        handle -> {
          List<Pulse> watched = new ArrayList<>();
          List<Dead> found = new ArrayList<>();
          handle
              .createQuery(look)
              .bind("watcher", watcher)
              .bind("place", watcher.toString().substring(PLACE))
              .bind("reach", ofProcesses ? 0 : reach) // Silence says nothing about them.
              .bind("dead", dead)
              .map((row, context) ->
                  row.getString(7) == null
                      ? watched.add(NodeRows.pulse(row))
                      : found.add(NodeRows.dead(row)))
              .list();
          return new Look(watched, found);
        });
  }

  boolean isAdvised(String task, @Nullable String stack) {
    return database.run(
        "look for a node with a recovery policy for %s".formatted(task),
        handle ->
            handle
                .createQuery(database.sql(ADVISED))
                .bind("task", task)
                .bind("stack", stack)
                .map((row, context) -> row.getBoolean(1))
                .one());
  }

  boolean markDead(UUID incarnation, long beat, Duration silence) {
    return database.run(
        "mark incarnation %s dead".formatted(incarnation),
        handle ->
            handle
                    .createUpdate(database.sql(MARK_DEAD))
                    .bind("incarnation", incarnation)
                    .bind("beat", beat)
                    .bind("silence", SqlValues.micros(silence))
                    .execute()
                > 0);
  }
}
