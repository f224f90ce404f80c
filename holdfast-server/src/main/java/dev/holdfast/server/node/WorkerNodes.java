package dev.holdfast.server.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.liveness.Membership;
import dev.holdfast.postgres.liveness.PgNodeStore;
import dev.holdfast.server.tenant.Tenant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The remote workers: nodes of one tenant each, in the same tables as servers. A worker is both a
 * process in the control schema, whose heartbeat servers watch, and a node in its tenant, under the
 * same incarnation. Its hold names the tenant, so that a server that finds it dead releases what it
 * claimed as it does for a dead server. Any server handles any call of a worker: all of its state
 * is here.
 *
 * <p>All statements use node_pkey unless stated otherwise.
 */
public final class WorkerNodes {
  private static final Logger log = LoggerFactory.getLogger(WorkerNodes.class);

  /** What the node list shows as the role of a worker. */
  public static final String ROLE = "remote-worker";

  // No session of the database belongs to a worker, so none is ended when it is dead. A repeat
  // after a lost reply counts as a heartbeat, and revives no dead worker.
  private static final String REGISTER =
      """
      insert into ${control}.node as known
        (incarnation, id, name, host, pid, version, claimed_timeout, timeout, queues, tasks, roles,
         capacity, session, mode, mode_exceptions, state, started_at, beaten_at, tenant)
      values
        (:incarnation, :id, :name, :host, :pid, :version, :claimed, :timeout, :queues, :tasks,
         :roles, :capacity, concat('worker ', :incarnation::text), 'FULL', '{}', 'ALIVE', now(), now(), :tenant)
      on conflict (incarnation) do update set beat = known.beat + 1, beaten_at = now()
      where known.state = 'ALIVE' and known.tenant = :tenant
      """;

  // By node_pkey of both schemas. A node of a server must not be taken over under its incarnation.
  private static final String IS_OF_A_SERVER =
      """
      select exists (select from ${schema}.node where incarnation = :incarnation)
        and not exists (
          select from ${control}.node where incarnation = :incarnation and tenant = :tenant)
      """;

  private static final String FIND =
      """
      select id, state = 'ALIVE', queues, tasks, capacity, running
      from ${control}.node where incarnation = :incarnation and tenant = :tenant
      """;

  // The last two by package_version and with a read of the nodes of the tenant, which are few.
  private static final String IS_STACK =
      """
      select exists (
          select from ${schema}.node where incarnation = :incarnation and :stack = any(serves))
        or exists (
          select from ${control}.package
          where tenant = :tenant and name = split_part(:stack, '@', 1)
            and name || '@' || version = :stack)
        or exists (select from ${schema}.node where state = 'ALIVE' and :stack = any(serves))
      """;

  private static final String BEAT =
      """
      update ${control}.node set beat = beat + 1, beaten_at = now(), running = :running
      where incarnation = :incarnation and tenant = :tenant and state = 'ALIVE'
      """;

  private static final String LEAVE =
      """
      update ${control}.node set
        state = 'DEAD', died_at = now(), death = 'SELF_DECLARED', died_for = 0, running = 0
      where incarnation = :incarnation and tenant = :tenant and state = 'ALIVE'
      """;

  private static final String DIED =
      """
      update ${control}.node set
        state = 'DEAD', died_at = now(), death = 'SILENCE', died_for = 0, running = 0
      where incarnation = :incarnation and tenant = :tenant and state = 'ALIVE'
      """;

  private final SharedConnections connections;
  private final Database database;
  private final String control;
  private final Holds holds;
  private final TenantSignals signals;

  /**
   * @param control the name of the control schema
   */
  public WorkerNodes(
      SharedConnections connections, String control, Holds holds, TenantSignals signals) {
    this.connections = connections;
    this.database = connections.control(control);
    this.control = control;
    this.holds = holds;
    this.signals = signals;
  }

  private String sql(String template) {
    return template.replace("${control}", control);
  }

  /**
   * A worker.
   *
   * @param id its name, for operators
   * @param running how many jobs it was last known to hold
   */
  public record Worker(
      UUID incarnation,
      String id,
      boolean alive,
      Set<String> queues,
      Set<String> tasks,
      int capacity,
      int running) {}

  /**
   * Registers a worker in both schemas, or repeats that; all of it or nothing. Its predecessor, if
   * any, ends in the same transaction.
   *
   * @param before an earlier incarnation of the worker; null for none
   * @return false if the incarnation was declared dead, or belongs to another tenant
   */
  public boolean register(Tenant tenant, NodeRegistration node, @Nullable UUID before) {
    UUID earlier = before != null && find(tenant, before).isPresent() ? before : null;
    Membership membership =
        (transaction, incarnation) -> {
          if (earlier != null) {
            leave(transaction, tenant, earlier);
          }
          if (isOfAServer(transaction, tenant, incarnation)
              || insert(transaction, tenant, node) == 0) {
            throw new NotAlive();
          }
          UUID unused = holds.join(transaction, incarnation, tenant.id(), incarnation);
          return null;
        };
    try {
      PgNodeStore.ofProcesses(connections.database(tenant.id(), tenant.schema()), membership)
          .register(node, Modes.FULL, earlier);
    } catch (NotAlive dead) {
      return false;
    }
    signals.shared().announce(new Signal.NodeJoined());
    if (earlier != null) {
      release(tenant, earlier);
    }
    return true;
  }

  /** Ends the transaction of a registration that is not possible. */
  private static final class NotAlive extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotAlive() {
      super("The worker is not alive", null, false, false);
    }
  }

  private boolean isOfAServer(Handle handle, Tenant tenant, UUID incarnation) {
    return handle
        .createQuery(sql(IS_OF_A_SERVER).replace("${schema}", tenant.schema()))
        .bind("incarnation", incarnation)
        .bind("tenant", tenant.id())
        .mapTo(Boolean.class)
        .one();
  }

  private int insert(Handle handle, Tenant tenant, NodeRegistration node) {
    return handle
        .createUpdate(sql(REGISTER))
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
        .bind("tenant", tenant.id())
        .execute();
  }

  /** Finds a worker of a tenant, dead or alive. */
  public Optional<Worker> find(Tenant tenant, UUID incarnation) {
    return database.run(
        "find worker %s".formatted(incarnation),
        handle ->
            handle
                .createQuery(sql(FIND))
                .bind("incarnation", incarnation)
                .bind("tenant", tenant.id())
                .map((row, context) ->
                    new Worker(
                        incarnation,
                        row.getString(1),
                        row.getBoolean(2),
                        SqlValues.strings(row, 3),
                        SqlValues.strings(row, 4),
                        row.getInt(5),
                        row.getInt(6)))
                .findOne());
  }

  /**
   * Returns whether a worker or a node that is alive serves a stack, or a package is this stack.
   */
  public boolean isStack(Tenant tenant, UUID incarnation, String stack) {
    return database.run(
        "look for stack %s".formatted(stack),
        handle ->
            handle
                .createQuery(sql(IS_STACK).replace("${schema}", tenant.schema()))
                .bind("incarnation", incarnation)
                .bind("tenant", tenant.id())
                .bind("stack", stack)
                .mapTo(Boolean.class)
                .one());
  }

  /**
   * Records a heartbeat.
   *
   * @param running how many jobs the worker holds
   * @return false if it is not alive
   */
  public boolean beat(Tenant tenant, UUID incarnation, int running) {
    return database.run(
            "store the heartbeat of worker %s".formatted(incarnation),
            handle ->
                handle
                    .createUpdate(sql(BEAT))
                    .bind("incarnation", incarnation)
                    .bind("tenant", tenant.id())
                    .bind("running", running)
                    .execute())
        > 0;
  }

  /**
   * Deregisters a worker: jobs that it still holds are recovered, and none of them counts as
   * crashed.
   */
  public void leave(Tenant tenant, UUID incarnation) {
    database.run(
        "deregister worker %s".formatted(incarnation),
        handle -> leave(handle, tenant, incarnation));
    release(tenant, incarnation);
  }

  /**
   * Declares a worker dead whose process has ended: what it ran counts as crashed, and runs
   * elsewhere without waiting for its timeout.
   */
  public void died(Tenant tenant, UUID incarnation) {
    database.run(
        "declare worker %s dead".formatted(incarnation),
        handle ->
            handle
                .createUpdate(sql(DIED))
                .bind("incarnation", incarnation)
                .bind("tenant", tenant.id())
                .execute());
    release(tenant, incarnation);
  }

  private int leave(Handle handle, Tenant tenant, UUID incarnation) {
    return handle
        .createUpdate(sql(LEAVE))
        .bind("incarnation", incarnation)
        .bind("tenant", tenant.id())
        .execute();
  }

  /** Otherwise the next sweep of a server does it. */
  private void release(Tenant tenant, UUID incarnation) {
    try {
      for (Holds.Left left : holds.of(database, incarnation)) {
        if (left.tenant() == tenant.id() && holds.release(database, incarnation, left)) {
          signals.of(tenant.id()).announce(new Signal.NodeDied());
        }
      }
    } catch (StoreException away) {
      log.warn(
          "What worker {} held could not be released, the next sweep of a server does it: {}",
          incarnation,
          away.getMessage());
    }
  }
}
