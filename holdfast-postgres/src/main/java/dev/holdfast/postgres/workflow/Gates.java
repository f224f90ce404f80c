package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.postgres.db.Database;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many runs are active. The row of a gate is a lock: runs are counted in a later
 * statement, whose snapshot is newer than the lock. A run that ends does not lock its gate, because
 * a gate is locked before any run: {@link #letThrough} does so in a transaction that follows.
 */
final class Gates {
  // Conflicts on run_gate_pkey.
  private static final String CREATE =
      """
      insert into ${schema}.run_gate (id) values (:id) on conflict do nothing
      """;

  // By run_gate_pkey.
  private static final String LOCK = "select id from ${schema}.run_gate where id = :id for update";

  // By run_of_gate.
  private static final String COUNT =
      """
      select count(*) filter (where state <> 'QUEUED'), count(*) filter (where state = 'QUEUED')
      from ${schema}.run where gate = :gate
      """;

  // By run_of_gate.
  private static final String ACTIVE =
      """
      select id from ${schema}.run where gate = :gate and state <> 'QUEUED' order by id limit 1
      """;

  // By run_of_gate.
  private static final String ALL = "select id from ${schema}.run where gate = :gate order by id";

  // By run_of_gate, the oldest first. A child of a paused run waits until its parent is resumed.
  // -2 is RunMark.ADMITTED.
  private static final String LET_THROUGH =
      """
      with oldest as materialized (
        select r.id from ${schema}.run r
        where r.gate = :gate and r.state = 'QUEUED'
          and not exists (
            select from ${schema}.run p where p.id = r.parent_id and p.state = 'PAUSED')
        order by r.id
        limit greatest(0, (
          select max(g.gate_count) from ${schema}.run g
          where g.gate = :gate and g.state = 'QUEUED') - :active)
        for update skip locked
      ), freed as (
        update ${schema}.run r set state = 'RUNNING' from oldest o where r.id = o.id
        returning r.id
      ), marked as (
        insert into ${schema}.run_mark (run_id, kind, step) select id, 'LOOK', -2 from freed
      )
      select id from freed
      """;

  /** How many runs a gate has. */
  record Count(long active, long queued) {}

  private final Database database;
  private final String create;
  private final String lock;
  private final String count;
  private final String active;
  private final String all;
  private final String letThrough;

  Gates(Database database) {
    this.database = database;
    this.create = database.sql(CREATE);
    this.lock = database.sql(LOCK);
    this.count = database.sql(COUNT);
    this.active = database.sql(ACTIVE);
    this.all = database.sql(ALL);
    this.letThrough = database.sql(LET_THROUGH);
  }

  /** Returns the id of the gate of a run; null for none. */
  static @Nullable UUID id(NewRun run) {
    return run.content().gate() == null
        ? null
        : UUID.nameUUIDFromBytes(
            (run.content().workflow() + '\n' + run.content().gate().key())
                .getBytes(StandardCharsets.UTF_8));
  }

  /** Locks a gate, and creates it before if necessary. */
  void lock(Handle handle, UUID id) {
    // Upkeep may delete the row between the two statements.
    while (handle.createQuery(lock).bind("id", id).mapTo(UUID.class).list().isEmpty()) {
      handle.createUpdate(create).bind("id", id).execute();
    }
  }

  /** Counts the runs of a gate that is locked. */
  Count count(Handle handle, UUID gate) {
    return handle
        .createQuery(count)
        .bind("gate", gate)
        .map((row, context) -> new Count(row.getLong(1), row.getLong(2)))
        .one();
  }

  /** Returns the oldest active run. */
  Optional<RunId> active(Handle handle, UUID gate) {
    return handle
        .createQuery(active)
        .bind("gate", gate)
        .mapTo(UUID.class)
        .findOne()
        .map(RunId::new);
  }

  /** Returns the open runs of a gate. */
  List<RunId> runs(Handle handle, UUID gate) {
    return handle.createQuery(all).bind("gate", gate).mapTo(UUID.class).list().stream()
        .map(RunId::new)
        .toList();
  }

  /** Starts queued runs as far as there is room, and returns them: they have marks now. */
  Set<RunId> letThrough(Collection<UUID> gates) {
    Set<RunId> started = new HashSet<>();
    for (UUID gate : new TreeSet<>(gates)) {
      started.addAll(
          database.transaction(
              "start queued runs",
              handle -> {
                if (count(handle, gate).queued() == 0) {
                  return List.<RunId>of();
                }
                lock(handle, gate);
                return letThrough(handle, gate);
              }));
    }
    return started;
  }

  /** Starts queued runs of a gate that is locked. */
  List<RunId> letThrough(Handle handle, UUID gate) {
    return handle
        .createQuery(letThrough)
        .bind("gate", gate)
        .bind("active", count(handle, gate).active())
        .mapTo(UUID.class)
        .list()
        .stream()
        .map(RunId::new)
        .toList();
  }
}
