package dev.holdfast.postgres.liveness;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.KeptConnection;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.rule.PgTaskStore;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** Stores the nodes and their heartbeats. All statements use node_pkey unless stated otherwise. */
public final class PgNodeStore implements NodeStore {
  /**
   * Where the position in the ring of nodes starts in the text of an incarnation, as in the
   * generated column.
   */
  private static final int PLACE = 24;

  // A repeat after a lost reply updates the registration and advances the heartbeat of a live node.
  // The silence of that node counts from the repeat: a watcher that saw the heartbeat of the first
  // attempt must not consider the node silent since then.
  private static final String REGISTER =
      """
      insert into ${schema}.node as known
        (incarnation, id, name, host, pid, version, terms, claimed_terms, queues, tasks, capacity,
         stack, serves, roles, advises, sweeps, graph_format, mode, mode_exceptions, session, state,
         started_at, beaten_at)
      values
        (:incarnation, :id, :name, :host, :pid, :version, :terms, :claimedTerms, :queues, :tasks,
         :capacity, :stack, :serves, :roles, :advises, :sweeps, :format, :mode, :exceptions,
         :session, 'ALIVE', now(), now())
      on conflict (incarnation) do update set
        id = excluded.id, name = excluded.name, host = excluded.host, pid = excluded.pid,
        version = excluded.version, terms = excluded.terms,
        claimed_terms = excluded.claimed_terms, queues = excluded.queues, tasks = excluded.tasks,
        capacity = excluded.capacity, stack = excluded.stack, serves = excluded.serves,
        roles = excluded.roles,
        advises = excluded.advises, sweeps = excluded.sweeps, graph_format = excluded.graph_format,
        beat = case when known.state = 'ALIVE' then known.beat + 1 else known.beat end,
        beaten_at = case when known.state = 'ALIVE' then now() else known.beaten_at end
      """;

  // A repeat has advanced the heartbeat: modes that were set since then stay.
  private static final String INHERIT =
      """
      update ${schema}.node n set mode = o.mode, mode_exceptions = o.mode_exceptions
      from ${schema}.node o
      where n.incarnation = :incarnation and n.state = 'ALIVE' and n.beat = 0
        and o.incarnation = :before
      """;

  // By schedule_declaration_pkey. In the transaction that ends the old incarnation: a schedule that
  // no live node declares, even for a moment, is deleted by other nodes of the application.
  private static final String INHERIT_DECLARATIONS =
      """
      insert into ${schema}.schedule_declaration
        (incarnation, schedule_id, application, fingerprint, generation)
      select n.incarnation, d.schedule_id, d.application, d.fingerprint, d.generation
      from ${schema}.schedule_declaration d
      join ${schema}.node n
        on n.incarnation = :incarnation and n.state = 'ALIVE' and n.beat = 0
      where d.incarnation = :before
      on conflict (incarnation, schedule_id) do nothing
      """;

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
             null, null, null, coalesce(j.release_requested, false)
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
             coalesce(j.release_requested, false)
      from ${schema}.job j
      where j.incarnation = :incarnation and j.state in ('CLAIMED', 'RUNNING')
      """;

  // By node_circle: first the position of the last node to watch, which is after the watcher or,
  // once around the ring, before it; then all nodes up to that position. 'g' and '' come after and
  // before every position. Dead nodes by node_unswept; their jobs by job_held, starting at the
  // oldest claim
  // call that may still hold jobs. One statement, so that a sweep that finds nothing costs one
  // round trip.
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

  private static final String MARK_DEAD =
      """
      update ${schema}.node set
        state = 'DEAD', died_at = now(), death = 'SILENCE', died_for = :silence,
        running = 0, lost_slots = 0, lost_lanes = '{}'
      where incarnation = :incarnation and beat = :beat and state = 'ALIVE'
      """;

  private static final String LEAVE =
      """
      update ${schema}.node set
        state = 'DEAD', died_at = now(), death = 'SELF_DECLARED', died_for = 0,
        running = 0, lost_slots = 0, lost_lanes = '{}'
      where incarnation = :incarnation and state = 'ALIVE'
      """;

  private static final String DISMISS =
      "update ${schema}.node set dismissed = true where incarnation = :incarnation and state ="
          + " 'ALIVE'";

  // The overrides are a set: their order does not matter.
  private static final String SET_MODES =
      """
      update ${schema}.node set mode = :mode, mode_exceptions = :exceptions
      where incarnation = :incarnation and state = 'ALIVE' and mode = :seenMode
        and mode_exceptions @> :seenExceptions::text[]
        and mode_exceptions <@ :seenExceptions::text[]
      """;

  private static final String LIST =
      """
      select incarnation, id, name, host, pid, version, claimed_terms, terms, queues, tasks,
             capacity, stack, roles,
             state = 'ALIVE', beat, started_at,
             (extract(epoch from now() - beaten_at) * 1000000)::bigint, running, mode,
             mode_exceptions, advises, sweeps, serves, lost_slots, lost_lanes,
             graph_format
      from ${schema}.node
      order by started_at, incarnation
      """;

  // By heartbeat_node.
  private static final String PAST_BEATS =
      """
      select incarnation, node, roles, host, pid, at from ${schema}.heartbeat
      where node = :id order by at desc limit :limit
      """;

  // By job_pkey.
  private static final String HOLDER =
      """
      select incarnation from ${schema}.job
      where id = :id and state in ('CLAIMED', 'RUNNING')
      """;

  private final Database database;
  private final Database heart;
  private final @Nullable String session;
  private final boolean spare;
  private final @Nullable Membership membership;
  private final String heartbeat;
  private final String look;

  /**
   * @param heart for heartbeats, on a connection that works however busy {@code database} is
   * @param session the {@code application_name} of the sessions of this process; null if they
   *     cannot be distinguished from the sessions of other programs
   * @param spare whether a broken heartbeat connection can be replaced at once. In an external pool
   *     it cannot while handlers use all connections. A reply that is merely late, as on a busy
   *     machine, must then not cost the node its only connection
   */
  public PgNodeStore(Database database, Database heart, @Nullable String session, boolean spare) {
    this(database, heart, session, spare, null);
  }

  /** Stores nodes that belong to processes, which send their heartbeats. */
  public static PgNodeStore ofProcesses(Database database, Membership membership) {
    // The process that finds this one dead ends its sessions, which all of its nodes share.
    return new PgNodeStore(database, database, null, true, membership);
  }

  private PgNodeStore(
      Database database,
      Database heart,
      @Nullable String session,
      boolean spare,
      @Nullable Membership membership) {
    this.membership = membership;
    this.heartbeat = database.sql(membership == null ? BEAT : CHECK);
    this.database = database;
    this.heart = heart;
    this.session = session;
    this.spare = spare;
    this.look = database.sql(LOOK);
  }

  @Override
  public void register(NodeRegistration registration, Modes modes, @Nullable UUID before) {
    heart.transaction(
        "register node %s".formatted(registration.id()),
        handle -> {
          UUID earlier = membership == null ? null : join(handle, membership, registration);
          UUID old = before == null ? earlier : before;
          if (old == null) {
            return insert(handle, registration, modes);
          }
          change(handle, LEAVE, old);
          insert(handle, registration, modes);
          inherit(handle, INHERIT_DECLARATIONS, registration.incarnation(), old);
          return inherit(handle, INHERIT, registration.incarnation(), old);
        });
  }

  /** Returns the earlier incarnation of the same process, unless this is a repeated call. */
  private static @Nullable UUID join(
      Handle handle, Membership membership, NodeRegistration registration) {
    UUID earlier = membership.join(handle, registration.incarnation());
    return registration.incarnation().equals(earlier) ? null : earlier;
  }

  private int inherit(Handle handle, String sql, UUID incarnation, UUID before) {
    return handle
        .createUpdate(database.sql(sql))
        .bind("incarnation", incarnation)
        .bind("before", before)
        .execute();
  }

  private int insert(Handle handle, NodeRegistration registration, Modes modes) {
    Set<String> sweeps = registration.advice().stacks();
    Update register = handle.createUpdate(database.sql(REGISTER));
    if (sweeps == null) {
      register.bindNull("sweeps", Types.ARRAY);
    } else {
      register.bindArray("sweeps", String.class, sweeps);
    }
    return register
        .bind("incarnation", registration.incarnation())
        .bind("id", registration.id())
        .bind("name", registration.name())
        .bind("host", registration.host())
        .bind("pid", registration.pid())
        .bind("version", registration.version())
        .bind("terms", SqlValues.micros(registration.timeouts().running()))
        .bind("claimedTerms", SqlValues.micros(registration.timeouts().claimed()))
        .bindArray("queues", String.class, registration.queues())
        .bindArray("tasks", String.class, registration.tasks())
        .bind("capacity", registration.capacity())
        .bind("stack", registration.stack())
        .bindArray("serves", String.class, registration.serves())
        .bindArray("roles", String.class, registration.roles())
        .bindArray("advises", String.class, registration.advice().tasks())
        .bind("format", registration.graphFormat())
        .bind("mode", modes.node().name())
        .bindArray("exceptions", String.class, NodeRows.texts(modes))
        .bind("session", session)
        .execute();
  }

  @Override
  public Optional<HeartbeatReply> beat(Heartbeat beat) {
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

  @Override
  public List<ClaimRow> claims(UUID incarnation) {
    return database.run(
        "list the jobs of incarnation %s".formatted(incarnation),
        handle ->
            handle
                .createQuery(database.sql(CLAIMS))
                .bind("incarnation", incarnation)
                .map((row, context) -> NodeRows.claim(row))
                .list());
  }

  @Override
  public Look look(UUID watcher, int reach, boolean dead) {
    return database.run(
        "look for silent and dead nodes",
        handle -> {
          List<Pulse> watched = new ArrayList<>();
          List<Dead> found = new ArrayList<>();
          handle
              .createQuery(look)
              .bind("watcher", watcher)
              .bind("place", watcher.toString().substring(PLACE))
              .bind("reach", membership == null ? reach : 0) // Silence says nothing about them.
              .bind("dead", dead)
              .map((row, context) ->
                  row.getString(7) == null
                      ? watched.add(NodeRows.pulse(row))
                      : found.add(NodeRows.dead(row)))
              .list();
          return new Look(watched, found);
        });
  }

  @Override
  public boolean isAdvised(String task, @Nullable String stack) {
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

  @Override
  public boolean markDead(UUID incarnation, long beat, Duration silence) {
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

  @Override
  public void leave(UUID incarnation) {
    if (membership != null && membership.staysRegistered()) {
      return;
    }
    heart.within(
        KeptConnection.HEARTBEAT,
        "deregister incarnation %s".formatted(incarnation),
        handle -> change(handle, LEAVE, incarnation));
  }

  @Override
  public boolean requestFence(UUID incarnation) {
    return database.run(
        "fence incarnation %s".formatted(incarnation),
        handle -> change(handle, DISMISS, incarnation));
  }

  private boolean change(Handle handle, String sql, UUID incarnation) {
    return handle.createUpdate(database.sql(sql)).bind("incarnation", incarnation).execute() > 0;
  }

  @Override
  public boolean setModes(UUID incarnation, Modes seen, Modes modes) {
    return database.run(
        "set the mode of incarnation %s".formatted(incarnation),
        handle ->
            handle
                    .createUpdate(database.sql(SET_MODES))
                    .bind("incarnation", incarnation)
                    .bind("mode", modes.node().name())
                    .bindArray("exceptions", String.class, NodeRows.texts(modes))
                    .bind("seenMode", seen.node().name())
                    .bindArray("seenExceptions", String.class, NodeRows.texts(seen))
                    .execute()
                > 0);
  }

  @Override
  public List<NodeSnapshot> list() {
    return database.run(
        "list the nodes",
        handle ->
            handle
                .createQuery(database.sql(LIST))
                .map((row, context) -> NodeRows.status(row))
                .list());
  }

  @Override
  public List<PastHeartbeat> pastBeats(String id, int limit) {
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

  @Override
  public Optional<UUID> holderOf(JobId id) {
    return database.run(
        "look up the holder of job %s".formatted(id),
        handle ->
            handle
                .createQuery(database.sql(HOLDER))
                .bind("id", id.value())
                .map((row, context) -> row.getObject(1, UUID.class))
                .findOne());
  }
}
