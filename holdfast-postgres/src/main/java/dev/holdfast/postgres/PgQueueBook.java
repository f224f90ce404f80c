package dev.holdfast.postgres;

import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.store.QueueBook;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Values;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings and state of queues. Settings by queue_pkey. */
final class PgQueueBook implements QueueBook {
  private static final String PAUSE =
      """
      insert into ${schema}.queue (name, paused) values (:queue, :paused)
      on conflict (name) do update set paused = excluded.paused
      """;

  private static final String LIMIT =
      """
      insert into ${schema}.queue (name, max_held) values (:queue, :most)
      on conflict (name) do update set max_held = excluded.max_held
      """;

  // Held jobs by job_held, then by job_pkey. Those claimed before there was a limit count towards
  // it, too.
  private static final String CAP_HELD =
      """
      with held as materialized (
        select id from ${schema}.job
        where queue = :name and state in ('CLAIMED', 'RUNNING') and not capped
        order by id for update
      )
      update ${schema}.job j set capped = true from held where j.id = held.id
      """;

  private static final String RULES = "select name, paused, max_held from ${schema}.queue";

  // Looks at every live job. For people, not for hot paths.
  private static final String LIST =
      """
      with counted as (
        select queue,
               count(*) filter (where state = 'READY') as ready,
               count(*) filter (where state in ('CLAIMED', 'RUNNING')) as held,
               count(*) filter (where state = 'SCHEDULED') as scheduled,
               min(run_at) filter (where state = 'READY') as oldest
        from ${schema}.job
        group by queue
      ), named as (
        select name from ${schema}.queue where paused or max_held is not null
        union
        select queue from counted
        union
        select unnest(queues) from ${schema}.node where state = 'ALIVE'
      )
      select n.name, coalesce(q.paused, false), q.max_held, coalesce(c.ready, 0),
             coalesce(c.held, 0), coalesce(c.scheduled, 0),
             coalesce((extract(epoch from now() - c.oldest) * 1000000)::bigint, 0)
      from named n
      left join ${schema}.queue q on q.name = n.name
      left join counted c on c.queue = n.name
      order by n.name collate "C"
      """;

  private final Database database;
  private final String pause;
  private final String limit;
  private final CapHeld capHeld;
  private final String rules;
  private final String list;
  private final String declared;

  PgQueueBook(Database database) {
    this.database = database;
    this.pause = database.sql(PAUSE);
    this.limit = database.sql(LIMIT);
    this.capHeld = new CapHeld(database, CAP_HELD);
    this.rules = database.sql(RULES);
    this.list = database.sql(LIST);
    this.declared = database.sql(IntakeStatements.DECLARED);
  }

  @Override
  public void pause(String queue, boolean paused) {
    database.run(
        "%s queue %s".formatted(paused ? "pause" : "resume", queue),
        handle -> handle.createUpdate(pause).bind("queue", queue).bind("paused", paused).execute());
  }

  /**
   * Writes the limit first and marks what is held afterwards, each in a transaction of its own:
   * once the limit is there no new claim goes past it. A claim that was under way in between is not
   * counted, so for as long as its jobs run the limit can be exceeded by those.
   */
  @Override
  public void limit(String queue, @Nullable Integer most) {
    database.run(
        "limit queue %s".formatted(queue),
        handle -> handle.createUpdate(limit).bind("queue", queue).bind("most", most).execute());
    if (most != null) {
      capHeld.of(queue);
    }
  }

  @Override
  public Map<String, Rule> rules() {
    return database.run(
        "read the rules of queues",
        handle -> {
          Map<String, Rule> found = new HashMap<>();
          handle
              .createQuery(rules)
              .map((row, context) ->
                  Map.entry(
                      row.getString(1),
                      new Rule(row.getBoolean(2), row.getObject(3, Integer.class))))
              .forEach(rule -> found.put(rule.getKey(), rule.getValue()));
          return found;
        });
  }

  @Override
  public List<QueueStatus> list() {
    return database.run(
        "list the queues",
        handle -> handle.createQuery(list).map((row, context) -> status(row)).list());
  }

  @Override
  public boolean isDeclared(String queue) {
    return database.run(
        "look for queue %s".formatted(queue),
        handle ->
            handle
                .createQuery(declared)
                .bind(0, queue)
                .map((row, context) -> row.getBoolean(1))
                .one());
  }

  private static QueueStatus status(ResultSet row) throws SQLException {
    return new QueueStatus(
        row.getString(1),
        row.getBoolean(2),
        row.getObject(3, Integer.class),
        row.getLong(4),
        row.getLong(5),
        row.getLong(6),
        Values.ofMicros(Math.max(0, row.getLong(7))));
  }
}
