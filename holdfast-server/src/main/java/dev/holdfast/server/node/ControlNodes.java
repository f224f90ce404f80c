package dev.holdfast.server.node;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.liveness.NodeRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The processes of an installation and their heartbeats, in the control schema. Statements use
 * node_pkey unless stated otherwise; there are few processes.
 */
public final class ControlNodes implements NodeStore {
  private static final String REGISTER =
      """
      insert into ${schema}.node as known
        (incarnation, id, name, host, pid, version, claimed_timeout, timeout, queues, tasks, roles,
         capacity, session, mode, mode_exceptions, modules, state, started_at, beaten_at)
      values
        (:incarnation, :id, :name, :host, :pid, :version, :claimed, :timeout, :queues, :tasks,
         :roles, :capacity, :session, :mode, :exceptions, :modules, 'ALIVE', now(), now())
      on conflict (incarnation) do update set
        beat = known.beat + 1, beaten_at = now()
      where known.state = 'ALIVE'
      """;

  // What an operator has set since the last heartbeat must not be lost. A repeat changes nothing.
  private static final String INHERIT =
      """
      update ${schema}.node n set mode = b.mode, mode_exceptions = b.mode_exceptions
      from ${schema}.node b
      where n.incarnation = :incarnation and n.beat = 0 and b.incarnation = :before
      """;

  private static final String LEAVE =
      """
      update ${schema}.node set
        state = 'DEAD', died_at = now(), death = 'SELF_DECLARED', died_for = 0, running = 0
      where incarnation = :incarnation and state = 'ALIVE'
      """;

  // One row, however many tenants there are.
  private static final String BEAT =
      """
      update ${schema}.node set beat = beat + 1, beaten_at = now(), running = :running
      where incarnation = :incarnation and state = 'ALIVE'
      returning dismissed, mode, mode_exceptions
      """;

  private static final String LOOK =
      """
      select n.incarnation, n.id, n.claimed_timeout, n.timeout, n.beat, n.running > 0,
             null, null::bigint, n.mode = 'DISABLED' or n.tenant is not null
      from ${schema}.node n
      where n.state = 'ALIVE' and n.incarnation <> :watcher
      union all
      select n.incarnation, n.id, null, null, null, null, n.death, coalesce(n.died_for, 0), false
      from ${schema}.node n
      where :dead and n.state = 'DEAD'
        and exists (select from ${schema}.hold h where h.process = n.incarnation)
      """;

  private static final String MARK_DEAD =
      """
      update ${schema}.node set
        state = 'DEAD', died_at = now(), death = 'SILENCE', died_for = :silence, running = 0
      where incarnation = :incarnation and beat = :beat and state = 'ALIVE'
      """;

  private static final String DISMISS =
      """
      update ${schema}.node set dismissed = true
      where incarnation = :incarnation and state = 'ALIVE'
      """;

  // The overrides are a set: their order does not matter.
  private static final String SET_MODES =
      """
      update ${schema}.node set mode = :mode, mode_exceptions = :exceptions
      where incarnation = :incarnation and state = 'ALIVE' and mode = :seenMode
        and mode_exceptions @> :seenExceptions::text[]
        and mode_exceptions <@ :seenExceptions::text[]
      """;

  // The columns that NodeRows.status reads. A process has no stack, loses no slots itself, and says
  // nothing about graphs: its nodes do.
  private static final String LIST =
      """
      select incarnation, id, name, host, pid, version, claimed_timeout, timeout, queues, tasks,
             capacity, null, roles, state = 'ALIVE', beat, started_at,
             (extract(epoch from now() - beaten_at) * 1000000)::bigint, running, mode,
             mode_exceptions, '{}'::text[], null::text[], '{}'::text[], 0, '{}'::text[], 1
      from ${schema}.node
      where state = 'ALIVE' or died_at > now() - interval '1 day'
      order by started_at, incarnation
      """;

  // A process that was suspended in the middle of a transaction would keep its locks. Sessions that
  // a live incarnation of the same process uses are left alone.
  private static final String END_SESSIONS =
      """
      select count(pg_terminate_backend(a.pid))
      from ${schema}.node n
      join pg_stat_activity a on a.application_name = n.session and a.datname = current_database()
      where n.incarnation = :incarnation and n.state = 'DEAD' and n.death = 'SILENCE'
        and not exists (
          select from ${schema}.node o where o.session = n.session and o.state = 'ALIVE')
      """;

  private static final String DIFFER =
      """
      select exists (
        select from ${schema}.node
        where state = 'ALIVE' and modules <> '' and modules <> :modules)
      """;

  private static final String FORGET =
      """
      delete from ${schema}.node n
      where n.state = 'DEAD' and n.died_at < now() - interval '1 day'
        and not exists (select from ${schema}.hold h where h.process = n.incarnation)
      """;

  private final Database database;
  private final Database heart;
  private final String session;
  private final IntSupplier running;
  private final String modules;

  /**
   * @param heart for heartbeats, on a connection that works however busy {@code database} is
   * @param session the name of the sessions of this process
   * @param running how many jobs the process runs
   * @param modules what the process registers in tenants, as a hash; empty for nothing
   */
  public ControlNodes(
      Database database, Database heart, String session, IntSupplier running, String modules) {
    this.database = database;
    this.heart = heart;
    this.session = session;
    this.running = running;
    this.modules = modules;
  }

  /** Returns what the process registers in tenants, as a hash; empty for nothing. */
  String modules() {
    return modules;
  }

  /** Returns whether another live process registers something else in tenants. */
  boolean differ() {
    return database.run(
        "look for processes with other modules",
        handle ->
            handle
                .createQuery(database.sql(DIFFER))
                .bind("modules", modules)
                .mapTo(Boolean.class)
                .one());
  }

  @Override
  public void register(NodeRegistration node, Modes modes, @Nullable UUID before) {
    heart.transaction(
        "register node %s".formatted(node.id()),
        handle -> {
          if (before != null) {
            handle.createUpdate(database.sql(LEAVE)).bind("incarnation", before).execute();
          }
          int registered =
              handle
                  .createUpdate(database.sql(REGISTER))
                  .bind("incarnation", node.incarnation())
                  .bind("id", node.id())
                  .bind("name", node.name())
                  .bind("host", node.host())
                  .bind("pid", node.pid())
                  .bind("version", node.version())
                  .bind("claimed", SqlValues.micros(node.timeouts().claimed()))
                  .bind("timeout", SqlValues.micros(node.timeouts().running()))
                  .bindArray("queues", String.class, node.queues())
                  .bindArray("tasks", String.class, node.tasks())
                  .bindArray("roles", String.class, node.roles())
                  .bind("capacity", node.capacity())
                  .bind("session", session)
                  .bind("mode", modes.node().name())
                  .bindArray("exceptions", String.class, NodeRows.texts(modes))
                  .bind("modules", modules)
                  .execute();
          if (before != null) {
            handle
                .createUpdate(database.sql(INHERIT))
                .bind("incarnation", node.incarnation())
                .bind("before", before)
                .execute();
          }
          return registered;
        });
  }

  @Override
  public Optional<HeartbeatReply> beat(Heartbeat beat) {
    return heart.within(
        beat.patience(),
        "store the heartbeat of node %s".formatted(beat.incarnation()),
        handle ->
            handle
                .createQuery(database.sql(BEAT))
                .bind("incarnation", beat.incarnation())
                .bind("running", running.getAsInt())
                .map((row, context) ->
                    new HeartbeatReply(
                        List.of(), Map.of(), Map.of(), modes(row), row.getBoolean("dismissed")))
                .findOne());
  }

  @Override
  public Look look(UUID watcher, int reach, boolean dead) {
    List<Pulse> alive = new ArrayList<>();
    Set<UUID> disabled = new HashSet<>();
    List<Dead> gone = new ArrayList<>();
    database.run(
        "look for silent and dead nodes",
        handle ->
            handle
                .createQuery(database.sql(LOOK))
                .bind("watcher", watcher)
                .bind("dead", dead)
                .map((row, context) -> {
                  if (row.getBoolean(9)) {
                    disabled.add(row.getObject(1, UUID.class));
                  }
                  return row.getString(7) == null
                      ? alive.add(NodeRows.pulse(row))
                      : gone.add(NodeRows.dead(row));
                })
                .list());
    return new Look(ring(watcher, alive, disabled, reach), gone);
  }

  /**
   * Returns the nodes that follow the watcher in an order that is the same for all. Disabled ones
   * and remote workers are watched, and do not count: they watch no others.
   */
  private static List<Pulse> ring(UUID watcher, List<Pulse> others, Set<UUID> disabled, int reach) {
    Comparator<UUID> order = Comparator.comparing(id -> id.toString().substring(24));
    List<Pulse> sorted = new ArrayList<>(others);
    sorted.sort(
        Comparator.<Pulse, Boolean>comparing(one -> order.compare(one.incarnation(), watcher) < 0)
            .thenComparing(Pulse::incarnation, order));
    List<Pulse> watched = new ArrayList<>();
    int enabled = 0;
    for (Pulse one : sorted) {
      if (enabled == reach) {
        break;
      }
      watched.add(one);
      enabled += disabled.contains(one.incarnation()) ? 0 : 1;
    }
    return watched;
  }

  @Override
  public boolean markDead(UUID incarnation, long beat, Duration silence) {
    return database.run(
        "mark node %s dead".formatted(incarnation),
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
    change("deregister node %s", LEAVE, incarnation);
  }

  @Override
  public boolean requestFence(UUID incarnation) {
    return change("fence node %s", DISMISS, incarnation) > 0;
  }

  /** Ends the database sessions of a process that was declared dead, so that its locks are free. */
  void endSessions(UUID incarnation) {
    database.run(
        "end the sessions of node %s".formatted(incarnation),
        handle ->
            handle
                .createQuery(database.sql(END_SESSIONS))
                .bind("incarnation", incarnation)
                .mapTo(Long.class)
                .one());
  }

  /** Deletes processes that have been dead for a day. */
  void forget() {
    database.run(
        "delete nodes that are long dead",
        handle -> handle.createUpdate(database.sql(FORGET)).execute());
  }

  private int change(String operation, String sql, UUID incarnation) {
    return heart.run(
        operation.formatted(incarnation),
        handle ->
            handle.createUpdate(database.sql(sql)).bind("incarnation", incarnation).execute());
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

  private static Modes modes(ResultSet row) throws SQLException {
    return NodeRows.modes(row.getString(2), SqlValues.strings(row, 3));
  }

  @Override
  public boolean setModes(UUID incarnation, Modes seen, Modes modes) {
    return database.run(
        "set the modes of node %s".formatted(incarnation),
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

  // A process claims nothing itself; its nodes in the tenants do.

  @Override
  public List<ClaimRow> claims(UUID incarnation) {
    return List.of();
  }

  @Override
  public boolean isAdvised(String task, @Nullable String stack) {
    return false;
  }

  @Override
  public List<PastHeartbeat> pastBeats(String id, int limit) {
    return List.of();
  }

  @Override
  public Optional<UUID> holderOf(JobId id) {
    return Optional.empty();
  }
}
