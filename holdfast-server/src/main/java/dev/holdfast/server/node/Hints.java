package dev.holdfast.server.node;

import dev.holdfast.postgres.db.Database;
import dev.holdfast.server.tenant.Tenant;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The tenants in which a node has to look for work. One statement finds all tenants that may have
 * work, however many tenants there are.
 */
public final class Hints {
  /** How long a taken hint is hidden from other nodes; longer than a registration takes. */
  private static final Duration TAKEN = Duration.ofSeconds(5);

  /** By how much the deletion of old rows is delayed, so that many are deleted at a time. */
  private static final Duration UPKEEP = Duration.ofHours(12);

  /** What a node takes hints for. */
  public enum Kind {
    /** Ready work. */
    R,
    /** Work that becomes due later. */
    T
  }

  /**
   * The hints that a node has taken.
   *
   * @param tenants the tenants to look at; true if there may be ready work, and not only something
   *     that falls due
   * @param next when the next hint is due; null for never
   * @param more whether more hints may be due: as many were taken as wanted, but several may be of
   *     the same tenant
   */
  record Taken(Map<Integer, Boolean> tenants, @Nullable Duration next, boolean more) {}

  /**
   * What a tenant has to do.
   *
   * @param ready whether there is work that the node can do now
   * @param foreign whether there is ready work that only other nodes can do
   * @param due when something falls due; null for never
   */
  record Pending(boolean ready, boolean foreign, @Nullable Instant due) {}

  private final Database database;
  private final String control;

  /**
   * @param database any connections to the database
   * @param control the name of the control schema
   */
  public Hints(Database database, String control) {
    this.database = database;
    this.control = control;
  }

  private String sql(String template) {
    return template.replace("${control}", control);
  }

  /** Leaves hints of both kinds, due now. */
  public void append(int tenant) {
    database.run(
        "leave a hint for tenant %d".formatted(tenant),
        handle -> {
          append(handle, control, tenant);
          return tenant;
        });
  }

  static void append(Handle handle, String control, int tenant) {
    handle
        .createUpdate(
            "insert into %s.hint (tenant, kind, due) values (:tenant, 'R', now()), (:tenant, 'T', now())"
                .formatted(control))
        .bind("tenant", tenant)
        .execute();
  }

  /**
   * Takes hints that are due: other nodes do not see them for some seconds. If the node dies before
   * it has registered in the tenant, another one takes them.
   *
   * @param kinds what the node does
   * @param only the tenants that the node works for; empty for all
   * @param not the tenants that the node leaves out
   * @param limit the maximum number of hints
   */
  Taken take(Set<Kind> kinds, Collection<Integer> only, Collection<Integer> not, int limit) {
    Map<Integer, Boolean> tenants = new LinkedHashMap<>();
    List<Duration> next = new ArrayList<>();
    AtomicInteger rows = new AtomicInteger();
    // By hint_due and tenant_pkey. now() bounds the index scan, clock_timestamp() could not.
    database.run(
        "look for tenants with work",
        handle ->
            handle
                .createQuery(
                    sql(
                        """
                        with taken as (
                          update ${control}.hint h
                          set due = clock_timestamp() + :taken * interval '1 millisecond'
                          from (
                            select h.id from ${control}.hint h
                            join ${control}.tenant t on t.id = h.tenant and t.state = 'ACTIVE'
                            where h.due <= now() and h.kind = any(:kinds::"char"[])
                              and h.tenant <> all(:not) and (:all or h.tenant = any(:only))
                            order by h.due limit :limit for update of h skip locked) p
                          where h.id = p.id
                          returning h.tenant, h.kind
                        )
                        select tenant, null::bigint, kind = 'R' from taken
                        union all
                        select null, (extract(epoch from min(h.due) - now()) * 1000)::bigint, null
                        from ${control}.hint h
                        where h.due > now() and h.kind = any(:kinds::"char"[])
                          and (:all or h.tenant = any(:only))
                        """))
                .bind("taken", TAKEN.toMillis())
                .bindArray("kinds", String.class, kinds.stream().map(Kind::name).toList())
                .bindArray("not", Integer.class, not)
                .bindArray("only", Integer.class, only)
                .bind("all", only.isEmpty())
                .bind("limit", limit)
                .map((row, context) -> {
                  Integer tenant = row.getObject(1, Integer.class);
                  Long millis = row.getObject(2, Long.class);
                  if (tenant != null) {
                    rows.incrementAndGet();
                    tenants.merge(tenant, row.getBoolean(3), Boolean::logicalOr);
                  } else if (millis != null) {
                    next.add(Duration.ofMillis(Math.max(0, millis)));
                  }
                  return row.getRow();
                })
                .list());
    return new Taken(tenants, next.isEmpty() ? null : next.getFirst(), rows.get() >= limit);
  }

  /**
   * Removes the hints of a tenant, because this node is registered in it and looks at it.
   *
   * @return how many there were
   */
  int clear(int tenant, Set<Kind> kinds) {
    return database.run(
        "remove the hints of tenant %d".formatted(tenant), handle -> clear(handle, tenant, kinds));
  }

  private int clear(Handle handle, int tenant, Set<Kind> kinds) {
    // By hint_tenant. Hints of open transactions are not visible, and stay.
    return handle
        .createUpdate(
            sql(
                """
                delete from ${control}.hint where id = any(array(
                  select id from ${control}.hint
                  where tenant = :tenant and kind = any(:kinds::"char"[])
                  for update skip locked))
                """))
        .bind("tenant", tenant)
        .bindArray("kinds", String.class, kinds.stream().map(Kind::name).toList())
        .execute();
  }

  /** The tasks and queues of a node. */
  record Served(Set<String> queues, Set<String> tasks) {}

  /** A tenant to look at, and how long it keeps ended and dead-lettered jobs. */
  record Subject(int tenant, String schema, Duration keepHistory, Duration keepDeadLetters) {
    static Subject of(Tenant tenant) {
      return new Subject(
          tenant.id(),
          tenant.schema(),
          tenant.settings().keepHistory(),
          tenant.settings().keepDeadLetters());
    }
  }

  /**
   * Looks for work in a tenant that this node has not entered, because something may be due there.
   * Hints for ready work are not changed.
   *
   * @return what there is to do; if it is ready, a hint is due in some seconds unless the node
   *     registers in the tenant
   */
  Pending glance(Subject subject, Set<Kind> kinds, Served served, Duration atLatest) {
    return database.transaction(
        "look for work of tenant %d".formatted(subject.tenant),
        handle -> {
          int unused = clear(handle, subject.tenant, Set.of(Kind.T));
          Pending pending = look(handle, subject, kinds, served);
          later(handle, subject.tenant, pending, pending.ready() ? TAKEN : atLatest);
          return pending;
        });
  }

  /**
   * Leaves a tenant, unless it has work for this node: deletes its hints, <em>then</em> looks for
   * work, and leaves a hint for what becomes due later. The look sees all work that was stored
   * before it; a request that stores work later holds the tenant, and leaves a hint before its hold
   * ends.
   *
   * @return what there is to do; if it is ready, the node must stay
   */
  Pending settle(Subject subject, UUID process, Set<Kind> kinds, Served served, Duration atLatest) {
    int tenant = subject.tenant;
    return database.transaction(
        "look for work of tenant %d".formatted(tenant),
        handle -> {
          int removed = clear(handle, tenant, kinds);
          Pending pending = look(handle, subject, kinds, served);
          if (removed > 0 || pending.ready()) {
            // This node stays registered: if it dies, its hold leads to new hints.
            Holds.stay(handle, control, process, tenant);
            return new Pending(true, pending.foreign(), pending.due());
          }
          later(handle, tenant, pending, atLatest);
          Holds.rest(handle, control, process, tenant);
          return pending;
        });
  }

  private void later(Handle handle, int tenant, Pending pending, Duration atLatest) {
    if (pending.foreign()) {
      handle
          .createUpdate(
              sql("insert into ${control}.hint (tenant, kind, due) values (:tenant, 'R', now())"))
          .bind("tenant", tenant)
          .execute();
    }
    handle
        .createUpdate(
            sql(
                """
                insert into ${control}.hint (tenant, kind, due)
                values (:tenant, 'T',
                  least(:due, now() + :latest * interval '1 second'))
                """))
        .bind("tenant", tenant)
        .bind("due", pending.due() == null ? null : Timestamp.from(pending.due()))
        .bind("latest", atLatest.toSeconds())
        .execute();
  }

  private static Pending look(Handle handle, Subject subject, Set<Kind> kinds, Served served) {
    // What is due already counts as ready.
    // By job_ready and its siblings, run_mark_run, job_held, job_due, job_start_by, schedule_due,
    // run_timer_due, job_history_default_finished and dead_letter_finished. Each exists stops at
    // the first row.
    return handle
        .createQuery(
            """
            select ready or coalesce(due <= now(), false), foreign_work, due from (select
              (:runs and exists (
                select from ${schema}.job j
                where j.state = 'READY' and j.task = any(:tasks) and j.queue = any(:queues)
                  and not exists (
                    select from ${schema}.queue q where q.name = j.queue and q.paused)))
              or exists (select from ${schema}.run_mark)
              or exists (
                select from ${schema}.job j
                where j.state in ('CLAIMED', 'RUNNING') and not exists (
                  select from ${schema}.node n
                  where n.incarnation = j.incarnation and n.state = 'ALIVE')) as ready,
              exists (
                select from ${schema}.job j
                where j.state = 'READY'
                  and not (:runs and j.task = any(:tasks) and j.queue = any(:queues)))
                as foreign_work,
              least(
                (select min(run_at) from ${schema}.job
                 where state in ('SCHEDULED', 'WAITING') and run_at < 'infinity'),
                (select min(start_by) from ${schema}.job
                 where start_by is not null and state in ('SCHEDULED', 'READY')),
                (select min(next_fire) from ${schema}.schedule
                 where next_fire is not null and not paused and not cancelled),
                (select min(due_at) from ${schema}.run_timer where due_at < 'infinity'),
                (select min(finished_at) from ${schema}.job_history_default)
                  + :history * interval '1 second',
                (select to_date(min(right(c.relname, 8)), 'YYYYMMDD') + interval '1 day'
                 from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 where i.inhparent = '${schema}.job_history'::regclass
                   and c.relname ~ '^job_history_[0-9]{8}$')
                  + :history * interval '1 second',
                (select min(finished_at) from ${schema}.dead_letter)
                  + :dead * interval '1 second') as due) pending
            """
                .replace("${schema}", subject.schema))
        .bind("history", subject.keepHistory.plus(UPKEEP).toSeconds())
        .bind("dead", subject.keepDeadLetters.plus(UPKEEP).toSeconds())
        .bind("runs", kinds.contains(Kind.R))
        .bindArray("tasks", String.class, served.tasks())
        .bindArray("queues", String.class, served.queues())
        .map((row, context) -> {
          Timestamp due = row.getTimestamp(3);
          return new Pending(
              row.getBoolean(1), row.getBoolean(2), due == null ? null : due.toInstant());
        })
        .one();
  }
}
