package dev.holdfast.postgres.rule;

import dev.holdfast.api.task.BreakerState;
import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.engine.rule.BreakerTransition;
import dev.holdfast.engine.store.TaskSnapshot;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Stores the rules of tasks. All statements use task_rule_pkey unless stated otherwise. */
public final class PgTaskStore implements TaskStore {
  private static final String LIMIT =
      """
      insert into ${schema}.task_rule (task, max_held) values (:task, :most)
      on conflict (task) do update set max_held = excluded.max_held
      """;

  private static final String LOCK =
      "select max_held from ${schema}.task_rule where task = :name for update";

  // Held jobs by job_held, then by job_pkey. Jobs that were claimed before the limit was set count
  // towards it as well.
  private static final String CAP_HELD =
      """
      with held as materialized (
        select id from ${schema}.job
        where task = :name and state in ('CLAIMED', 'RUNNING') and task_capped is not true
        order by id for update
      )
      update ${schema}.job j set
        task_capped = true, task_cap_no = nextval('${schema}.cap_number')
      from held where j.id = held.id
      """;

  private static final String MAKE =
      "insert into ${schema}.task_rule (task) values (:task) on conflict (task) do nothing";

  // By task_rule_barred.
  private static final String RULES =
      """
      select task, max_held, ${shut}
      from ${schema}.task_rule
      where max_held is not null or breaker <> 'CLOSED'
      """;

  /** How many microseconds a breaker stays open; null if it is closed. */
  public static final String SHUT =
      "case when breaker <> 'CLOSED' then"
          + " greatest(0, (extract(epoch from open_until - now()) * 1000000)::bigint) end";

  // Reads every live job of these tasks. For interactive use, not for hot paths.
  private static final String LIST =
      """
      select r.task, r.max_held,
             count(*) filter (where j.state = 'READY'),
             count(*) filter (where j.state in ('CLAIMED', 'RUNNING')),
             r.breaker, r.open_until
      from ${schema}.task_rule r
      left join ${schema}.job j on j.task = r.task
      group by r.task
      order by r.task
      """;

  private final Database database;
  private final LimitBackfill backfill;

  public PgTaskStore(Database database) {
    this.database = database;
    this.backfill = new LimitBackfill(database, LOCK, CAP_HELD);
  }

  /**
   * Sets the limit first and marks the held jobs afterwards, in separate transactions: as soon as
   * the limit is set, no new claim exceeds it. A claim that was in progress in between is not
   * counted, so its jobs can exceed the limit for as long as they run.
   */
  @Override
  public void limit(String task, @Nullable Integer most) {
    database.run(
        "limit task %s".formatted(task),
        handle ->
            handle
                .createUpdate(database.sql(LIMIT))
                .bind("task", task)
                .bind("most", most)
                .execute());
    if (most != null) {
      backfill.of(task);
    }
  }

  @Override
  public Noted report(Attempts attempts) {
    return database.transaction(
        "report %d failures of task %s".formatted(attempts.failed().size(), attempts.task()),
        handle -> {
          TaskRow row = lock(handle, attempts.task());
          BreakerTransition after = row.circuit().after(attempts, row.now());
          if (!after.equals(row.circuit())) {
            row.write(database, handle, after);
          }
          return new Noted(after.turnSince(row.circuit()), row.rule(after));
        });
  }

  private TaskRow lock(Handle handle, String task) {
    return TaskRow.lock(database, handle, task)
        .orElseGet(() -> {
          update(handle, MAKE, task);
          return TaskRow.lock(database, handle, task).orElseThrow();
        });
  }

  @Override
  public boolean closeBreaker(String task) {
    return database.transaction(
        "close the breaker of task %s".formatted(task),
        handle ->
            TaskRow.lock(database, handle, task)
                .map(row -> {
                  row.write(database, handle, BreakerTransition.CLOSED);
                  return !row.circuit().isClosed();
                })
                .orElse(false));
  }

  private int update(Handle handle, String sql, String task) {
    return handle.createUpdate(database.sql(sql)).bind("task", task).execute();
  }

  @Override
  public Map<String, Rule> rules() {
    return database.run(
        "read the rules of tasks",
        handle -> {
          Map<String, Rule> found = new HashMap<>();
          handle
              .createQuery(database.sql(RULES.replace("${shut}", SHUT)))
              .map((row, context) ->
                  Map.entry(
                      row.getString(1), new Rule(row.getObject(2, Integer.class), shut(row, 3))))
              .forEach(rule -> found.put(rule.getKey(), rule.getValue()));
          return found;
        });
  }

  public static @Nullable Duration shut(ResultSet row, int column) throws SQLException {
    Long micros = row.getObject(column, Long.class);
    return micros == null ? null : SqlValues.ofMicros(micros);
  }

  @Override
  public List<TaskStatus> list() {
    return database.run(
        "list the rules of tasks",
        handle -> handle.createQuery(database.sql(LIST)).map((row, context) -> status(row)).list());
  }

  private static TaskStatus status(ResultSet row) throws SQLException {
    return new TaskSnapshot(
        row.getString(1),
        row.getObject(2, Integer.class),
        row.getLong(3),
        row.getLong(4),
        BreakerState.valueOf(row.getString(5)),
        SqlValues.instantOrNull(row, 6));
  }
}
