package dev.holdfast.postgres.liveness;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.postgres.db.Database;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores the nodes and their heartbeats. All statements use node_pkey unless stated otherwise. */
public final class PgNodeStore implements NodeStore {
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

  // By job_pkey.
  private static final String HOLDER =
      """
      select incarnation from ${schema}.job
      where id = :id and state in ('CLAIMED', 'RUNNING')
      """;

  private final Database database;
  private final NodeRegistrations registrations;
  private final NodeHeartbeats heartbeats;
  private final NodeWatch watch;

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
    this.database = database;
    this.registrations = new NodeRegistrations(database, heart, session, membership);
    this.heartbeats = new NodeHeartbeats(database, heart, spare, membership != null);
    this.watch = new NodeWatch(database, membership != null);
  }

  @Override
  public void register(NodeRegistration registration, Modes modes, @Nullable UUID before) {
    registrations.register(registration, modes, before);
  }

  @Override
  public void leave(UUID incarnation) {
    registrations.leave(incarnation);
  }

  @Override
  public Optional<HeartbeatReply> beat(Heartbeat beat) {
    return heartbeats.beat(beat);
  }

  @Override
  public List<ClaimRow> claims(UUID incarnation) {
    return heartbeats.claims(incarnation);
  }

  @Override
  public List<PastHeartbeat> pastBeats(String id, int limit) {
    return heartbeats.past(id, limit);
  }

  @Override
  public Look look(UUID watcher, int reach, boolean dead) {
    return watch.look(watcher, reach, dead);
  }

  @Override
  public boolean isAdvised(String task, @Nullable String stack) {
    return watch.isAdvised(task, stack);
  }

  @Override
  public boolean markDead(UUID incarnation, long beat, Duration silence) {
    return watch.markDead(incarnation, beat, silence);
  }

  @Override
  public boolean requestFence(UUID incarnation) {
    return database.run(
        "fence incarnation %s".formatted(incarnation),
        handle ->
            handle.createUpdate(database.sql(DISMISS)).bind("incarnation", incarnation).execute()
                > 0);
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
