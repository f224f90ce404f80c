package dev.holdfast.postgres.liveness;

import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.KeptConnection;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.Types;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** Registers and deregisters incarnations. All statements use node_pkey unless stated otherwise. */
final class NodeRegistrations {
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

  private static final String LEAVE =
      """
      update ${schema}.node set
        state = 'DEAD', died_at = now(), death = 'SELF_DECLARED', died_for = 0,
        running = 0, lost_slots = 0, lost_lanes = '{}'
      where incarnation = :incarnation and state = 'ALIVE'
      """;

  private final Database database;
  private final Database heart;
  private final @Nullable String session;
  private final @Nullable Membership membership;

  NodeRegistrations(
      Database database,
      Database heart,
      @Nullable String session,
      @Nullable Membership membership) {
    this.database = database;
    this.heart = heart;
    this.session = session;
    this.membership = membership;
  }

  void register(NodeRegistration registration, Modes modes, @Nullable UUID before) {
    heart.transaction(
        "register node %s".formatted(registration.id()),
        handle -> {
          UUID earlier = membership == null ? null : join(handle, membership, registration);
          UUID old = before == null ? earlier : before;
          if (old == null) {
            return insert(handle, registration, modes);
          }
          leave(handle, old);
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

  void leave(UUID incarnation) {
    if (membership != null && membership.staysRegistered()) {
      return;
    }
    heart.within(
        KeptConnection.HEARTBEAT,
        "deregister incarnation %s".formatted(incarnation),
        handle -> leave(handle, incarnation));
  }

  private boolean leave(Handle handle, UUID incarnation) {
    return handle.createUpdate(database.sql(LEAVE)).bind("incarnation", incarnation).execute() > 0;
  }
}
