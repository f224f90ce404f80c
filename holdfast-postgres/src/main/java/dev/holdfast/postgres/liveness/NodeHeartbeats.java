package dev.holdfast.postgres.liveness;

import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.PastHeartbeat;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.rule.PgTaskStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Stores heartbeats and returns what they ask for: the claims of the node, rules and requests. */
final class NodeHeartbeats {
  // Claims by job_held, starting at the oldest claim call that may still hold jobs: while an old
  // snapshot keeps index entries of finished jobs, their calls are older and the scan starts after
  // them. One statement, so that a heartbeat costs one round trip: the row that says whether the
  // node is alive and what it must do, then its claims, then the rules of all queues, and of tasks
  // by task_rule_barred.
  private static final String BEAT =
      """
      with beaten as (
        update ${schema}.node set
          beat = beat + 1, beaten_at = now(), running = :running, from_call = :fromCall,
          lost_slots = :lostSlots, lost_lanes = :lostLanes
        where incarnation = :incarnation and state = 'ALIVE'
        returning incarnation, id, roles, host, pid, mode, mode_exceptions, dismissed
      ), kept as (
        insert into ${schema}.heartbeat (at, incarnation, node, roles, host, pid, expires_at)
        select now(), incarnation, id, roles, host, pid, now() + :kept * interval '1 microsecond'
        from beaten where :kept > 0
      )
      select 'ALIVE', null::uuid, null::bigint, null::bigint, dismissed, null::boolean,
             mode, null::int, mode_exceptions, null::boolean
      from beaten
      union all
      select 'CLAIM', j.id, j.token, j.claim_no, j.state = 'RUNNING', j.cancel_requested,
             j.suspicion, null, null, coalesce(j.release_requested, false)
      from ${schema}.job j
      where j.incarnation = :incarnation and j.claim_no >= :fromCall
        and j.state in ('CLAIMED', 'RUNNING') and exists (select from beaten)
      union all
      select 'RULE', null, null, null, q.paused, null, q.name, q.max_held, null, null
      from ${schema}.queue q
      where exists (select from beaten)
      union all
      select 'TASK', null, ${shut}, null, null, null, r.task, r.max_held, null, null
      from ${schema}.task_rule r
      where (r.max_held is not null or r.breaker <> 'CLOSED') and exists (select from beaten)
      """
          .replace("${shut}", PgTaskStore.SHUT);

  // As above, for a node whose process sends the heartbeat: the row is written only if what others
  // see in it has changed.
  private static final String CHECK =
      BEAT.replace(
          BEAT.substring(BEAT.indexOf("with beaten"), BEAT.indexOf("select 'ALIVE'")),
          """
          with beaten as (
            select mode, mode_exceptions, dismissed from ${schema}.node
            where incarnation = :incarnation and state = 'ALIVE'
          ), noted as (
            update ${schema}.node set
              beaten_at = now(), running = :running, lost_slots = :lostSlots,
              lost_lanes = :lostLanes
            where incarnation = :incarnation and state = 'ALIVE'
              and (running <> :running or lost_slots <> :lostSlots)
          )
          """);

  // By job_held, from the first entry of the incarnation.
  private static final String CLAIMS =
      """
      select j.id, j.token, j.claim_no, j.state = 'RUNNING', j.cancel_requested,
             coalesce(j.release_requested, false), j.suspicion is not null
      from ${schema}.job j
      where j.incarnation = :incarnation and j.state in ('CLAIMED', 'RUNNING')
      """;

  // By heartbeat_node.
  private static final String PAST_BEATS =
      """
      select incarnation, node, roles, host, pid, at from ${schema}.heartbeat
      where node = :id order by at desc limit :limit
      """;

  private final Database database;
  private final Database heart;
  private final boolean spare;
  private final String heartbeat;

  /**
   * @param ofProcesses whether the processes of the nodes send the heartbeats
   */
  NodeHeartbeats(Database database, Database heart, boolean spare, boolean ofProcesses) {
    this.database = database;
    this.heart = heart;
    this.spare = spare;
    this.heartbeat = database.sql(ofProcesses ? CHECK : BEAT);
  }

  Optional<HeartbeatReply> beat(Heartbeat beat) {
    return heart.within(
        spare ? beat.patience() : beat.useful(),
        "store the heartbeat of incarnation %s".formatted(beat.incarnation()),
        handle -> {
          NodeRows.Reply reply = new NodeRows.Reply();
          handle
              .createQuery(heartbeat)
              .bind("incarnation", beat.incarnation())
              .bind("running", beat.running())
              .bind("fromCall", beat.fromCall())
              .bind("kept", SqlValues.micros(beat.kept()))
              .bind("lostSlots", beat.lost().slots())
              .bindArray("lostLanes", String.class, NodeRows.texts(beat.lost()))
              .map((row, context) -> reply.read(row))
              .forEach(kind -> {});
          return reply.toReply();
        });
  }

  List<ClaimRow> claims(UUID incarnation) {
    return database.run(
        "list the jobs of incarnation %s".formatted(incarnation),
        handle ->
            handle
                .createQuery(database.sql(CLAIMS))
                .bind("incarnation", incarnation)
                .map((row, context) -> NodeRows.claim(row))
                .list());
  }

  List<PastHeartbeat> past(String id, int limit) {
    return database.run(
        "list the heartbeats of node %s".formatted(id),
        handle ->
            handle
                .createQuery(database.sql(PAST_BEATS))
                .bind("id", id)
                .bind("limit", limit)
                .map((row, context) ->
                    new PastHeartbeat(
                        row.getString(2),
                        row.getObject(1, UUID.class),
                        SqlValues.strings(row, 3),
                        row.getString(4),
                        row.getLong(5),
                        SqlValues.instant(row, 6)))
                .list());
  }
}
