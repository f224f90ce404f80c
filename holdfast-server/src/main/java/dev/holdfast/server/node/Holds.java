package dev.holdfast.server.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Which processes work in which tenants, or change something there.
 *
 * <p>A hold is written in the transaction that registers a node in a tenant, or before the first
 * change of a request, and only while its process is alive. So when a process is dead, its holds
 * name all tenants in which it may have claimed or changed something. A registration that is in
 * progress at that moment creates a hold a little later, so the holds of dead processes are looked
 * for during a day.
 */
public final class Holds {
  private final String control;

  /**
   * @param control the name of the control schema
   */
  public Holds(String control) {
    this.control = control;
  }

  private String sql(String template) {
    return template.replace("${control}", control);
  }

  /**
   * Records that a process is registered in a tenant.
   *
   * @return as which incarnation it was registered there before; null if it was not
   * @throws StoreException if the process is not alive, or the tenant not active
   */
  public @Nullable UUID join(Handle transaction, UUID process, int tenant, UUID incarnation) {
    // By hold_pkey, node_pkey and tenant_pkey.
    return transaction
        .createQuery(
            sql(
                """
                with joined as (
                  insert into ${control}.hold (process, tenant, incarnation, active)
                  select n.incarnation, t.id, :incarnation, true
                  from ${control}.node n, ${control}.tenant t
                  where n.incarnation = :process and n.state = 'ALIVE'
                    and t.id = :tenant and t.state = 'ACTIVE'
                  on conflict (process, tenant) do update
                  set incarnation = excluded.incarnation, active = true
                  returning tenant
                )
                select j.tenant, h.incarnation
                from joined j
                left join ${control}.hold h on h.process = :process and h.tenant = :tenant
                """))
        .bind("process", process)
        .bind("tenant", tenant)
        .bind("incarnation", incarnation)
        .map((row, context) -> new Joined(row.getObject(2, UUID.class)))
        .findOne()
        .orElseThrow(() ->
            new StoreException(
                StoreException.Outcome.RETRYABLE,
                "This server cannot work in tenant %d, because the tenant is not active or other servers have declared this one dead."
                    .formatted(tenant),
                null))
        .before();
  }

  private record Joined(@Nullable UUID before) {}

  /**
   * Records that requests to a process change a tenant from now on, and leaves hints.
   *
   * @return the incarnation that the hold names: that of the node of the process in the tenant if
   *     it is or was registered there, otherwise that of the process; empty if the process is not
   *     alive, so that only the hints were left
   */
  Optional<UUID> open(Database database, UUID process, int tenant) {
    // By node_pkey and hold_pkey.
    return database.run(
        "hold tenant %d".formatted(tenant),
        handle ->
            handle
                .createQuery(
                    sql(
                        """
                        with opened as (
                          insert into ${control}.hold (process, tenant, incarnation, active)
                          select n.incarnation, :tenant, n.incarnation, true
                          from ${control}.node n
                          where n.incarnation = :process and n.state = 'ALIVE'
                          on conflict (process, tenant) do update set active = true
                          returning incarnation
                        ), hinted as (
                          insert into ${control}.hint (tenant, kind, due)
                          values (:tenant, 'R', now()), (:tenant, 'T', now())
                        )
                        select incarnation from opened
                        """))
                .bind("process", process)
                .bind("tenant", tenant)
                .mapTo(UUID.class)
                .findOne());
  }

  /**
   * Records that requests to a process no longer change a tenant, and leaves hints, both or
   * neither. A node of the process that has registered in the tenant since keeps the hold.
   *
   * @param as the incarnation that the hold named
   */
  void close(Database database, UUID process, int tenant, UUID as) {
    // By hold_pkey.
    database.run(
        "let go of tenant %d".formatted(tenant),
        handle ->
            handle
                .createUpdate(
                    sql(
                        """
                        with gone as (
                          delete from ${control}.hold
                          where process = :process and tenant = :tenant and incarnation = :as
                            and incarnation = process
                        ), rests as (
                          update ${control}.hold set active = false
                          where process = :process and tenant = :tenant and incarnation = :as
                            and incarnation <> process
                        )
                        insert into ${control}.hint (tenant, kind, due)
                        values (:tenant, 'R', now()), (:tenant, 'T', now())
                        """))
                .bind("process", process)
                .bind("tenant", tenant)
                .bind("as", as)
                .execute());
  }

  /** Records that a process currently has no work in a tenant. */
  static void rest(Handle transaction, String control, UUID process, int tenant) {
    // By hold_pkey.
    transaction
        .createUpdate(
            "update %s.hold set active = false where process = :process and tenant = :tenant"
                .formatted(control))
        .bind("process", process)
        .bind("tenant", tenant)
        .execute();
  }

  /** Records that a process works in a tenant after all. */
  static void stay(Handle transaction, String control, UUID process, int tenant) {
    // By hold_pkey. Mostly it is active.
    transaction
        .createUpdate(
            """
            update %s.hold set active = true
            where process = :process and tenant = :tenant and not active
            """
                .formatted(control))
        .bind("process", process)
        .bind("tenant", tenant)
        .execute();
  }

  /** A registration of a dead process. */
  public record Left(int tenant, String schema, UUID incarnation) {}

  /** Returns where a process is registered. */
  List<Left> of(Database database, UUID process) {
    // By hold_pkey.
    return database.run(
        "read where node %s is registered".formatted(process),
        handle ->
            handle
                .createQuery(
                    sql(
                        """
                        select h.tenant, 'holdfast_t' || h.tenant, h.incarnation
                        from ${control}.hold h where h.process = :process order by h.tenant
                        """))
                .bind("process", process)
                .map((row, context) ->
                    new Left(row.getInt(1), row.getString(2), row.getObject(3, UUID.class)))
                .list());
  }

  /**
   * Marks the incarnation of a dead process in one tenant dead, and leaves hints: a node that looks
   * at the tenant recovers what that incarnation holds. All of it or nothing.
   *
   * @return whether this call did it: the process is dead, and no other server does it
   */
  boolean release(Database database, UUID process, Left left) {
    return database.transaction(
        "release tenant %d, where node %s was registered".formatted(left.tenant, process),
        handle -> {
          // By hold_pkey and node_pkey. The hold of a process that is alive says where to look when
          // it dies.
          int locked =
              handle
                  .createQuery(
                      sql(
                          """
                          select 1 from ${control}.hold h
                          join ${control}.node n on n.incarnation = h.process and n.state = 'DEAD'
                          where h.process = :process and h.tenant = :tenant
                            and h.incarnation = :incarnation
                          for update of h skip locked
                          """))
                  .bind("process", process)
                  .bind("tenant", left.tenant)
                  .bind("incarnation", left.incarnation)
                  .mapTo(Integer.class)
                  .list()
                  .size();
          if (locked == 0) {
            return false;
          }
          if (exists(handle, left.schema + ".node")) {
            markDead(handle, process, left);
          }
          boolean active =
              handle
                  .createQuery(
                      sql(
                          """
                          delete from ${control}.hold where process = :process and tenant = :tenant
                          returning active
                          """))
                  .bind("process", process)
                  .bind("tenant", left.tenant)
                  .mapTo(Boolean.class)
                  .one();
          if (active) { // Otherwise it has left a hint for what falls due.
            Hints.append(handle, control, left.tenant);
          }
          return true;
        });
  }

  /** The schema of a tenant that was deleted may be gone. */
  private static boolean exists(Handle handle, String table) {
    return handle
        .createQuery("select to_regclass(:table) is not null")
        .bind("table", table)
        .mapTo(Boolean.class)
        .one();
  }

  private void markDead(Handle handle, UUID process, Left left) {
    // By node_pkey of both schemas. Nothing it held counts as a crash if the process ended itself.
    handle
        .createUpdate(
            sql("""
            update ${schema}.node n set
              state = 'DEAD', died_at = now(), death = p.death, died_for = p.died_for,
              running = 0, lost_slots = 0, lost_lanes = '{}'
            from ${control}.node p
            where n.incarnation = :incarnation and n.state = 'ALIVE'
              and p.incarnation = :process and p.state = 'DEAD'
            """)
                .replace("${schema}", left.schema))
        .bind("incarnation", left.incarnation)
        .bind("process", process)
        .execute();
  }
}
