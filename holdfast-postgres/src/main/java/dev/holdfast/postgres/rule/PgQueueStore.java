package dev.holdfast.postgres.rule;

import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.job.StrandedSql;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Stores the rules of queues and samples their depths. Rules by queue_pkey. */
public final class PgQueueStore implements QueueStore {
  private static final String PAUSE =
      """
      insert into ${schema}.queue as q (name, paused, pause_reason, paused_at)
      values (:queue, true, :reason, now())
      on conflict (name) do update set
        paused = true,
        pause_reason = coalesce(
          excluded.pause_reason, case when q.paused then q.pause_reason end),
        paused_at = case when q.paused then q.paused_at else excluded.paused_at end
      """;

  private static final String RESUME =
      """
      insert into ${schema}.queue (name, paused) values (:queue, false)
      on conflict (name) do update set paused = false, pause_reason = null, paused_at = null
      """;

  private static final String LIMIT =
      """
      insert into ${schema}.queue (name, max_held) values (:queue, :most)
      on conflict (name) do update set max_held = excluded.max_held
      """;

  private static final String LOCK =
      "select max_held from ${schema}.queue where name = :name for update";

  // Held jobs by job_held, then by job_pkey. Jobs that were claimed before the limit was set count
  // towards it as well.
  private static final String CAP_HELD =
      """
      with held as materialized (
        select id from ${schema}.job
        where queue = :name and state in ('CLAIMED', 'RUNNING') and not capped
        order by id for update
      )
      update ${schema}.job j set capped = true, cap_no = nextval('${schema}.cap_number')
      from held where j.id = held.id
      """;

  private static final String RULES = "select name, paused, max_held from ${schema}.queue";

  // By sample_pkey.
  private static final String SAMPLE =
      """
      select s.unknown, s.waiting, s.nodes, q.name, d.ready, d.oldest, n.serving,
             s.stranded
      from ${schema}.sample s
      cross join unnest(array[null] || :queues::text[]) q(name)
      left join lateral unnest(s.queues, s.ready, s.oldest) d(name, ready, oldest)
        on d.name = q.name
      left join lateral unnest(s.served, s.serving) n(name, serving) on n.name = q.name
      where s.one and s.taken_at > now() - :fresh * interval '1 microsecond'
      """;

  // By sample_pkey. Installations without open runs do not look for stranded ones.
  private static final String WRITE_SAMPLE =
      """
      ${stranded}
      insert into ${schema}.sample
        (taken_at, queues, ready, oldest, unknown, waiting, nodes, served, serving, stranded)
      select now(), :names::text[], :ready::bigint[], :oldest::bigint[], :unknown::text[],
             :waiting::bigint[],
             (select count(*) from ${schema}.node where state = 'ALIVE'),
             coalesce(array_agg(s.queue), '{}'), coalesce(array_agg(s.nodes), '{}'),
             case when exists (select from ${schema}.run)
                  then (select count(*) from stranded) else 0 end
      from (
        select q.name as queue, count(*)::int as nodes
        from ${schema}.node n cross join unnest(n.queues) q(name)
        where n.state = 'ALIVE'
        group by q.name
      ) s
      on conflict (one) do update set
        taken_at = excluded.taken_at, queues = excluded.queues, ready = excluded.ready,
        oldest = excluded.oldest, unknown = excluded.unknown, waiting = excluded.waiting,
        nodes = excluded.nodes, served = excluded.served, serving = excluded.serving,
        stranded = excluded.stranded
      """;

  // By sample_pkey. Reads one row, however many jobs there are.
  private static final String DEPTHS =
      """
      select d.name, d.ready, d.oldest
      from ${schema}.sample s
      cross join lateral unnest(s.queues, s.ready, s.oldest) d(name, ready, oldest)
      where s.one
      """;

  private static final String TRY_LOCK =
      "select pg_try_advisory_xact_lock(hashtextextended(:name, 0))";

  private final Database database;
  private final String pause;
  private final String resume;
  private final String limit;
  private final LimitBackfill backfill;
  private final String rules;
  private final QueueCounts counts;
  private final String sample;
  private final String depths;
  private final String writeSample;
  private final String declared;

  public PgQueueStore(Database database) {
    this(database, MOST_COUNTED);
  }

  /**
   * @param most the maximum number of jobs to count in a queue
   */
  public PgQueueStore(Database database, int most) {
    this.database = database;
    this.counts = new QueueCounts(database, most);
    this.sample = database.sql(SAMPLE);
    this.depths = database.sql(DEPTHS);
    this.writeSample = database.sql(StrandedSql.into(WRITE_SAMPLE));
    this.pause = database.sql(PAUSE);
    this.resume = database.sql(RESUME);
    this.limit = database.sql(LIMIT);
    this.backfill = new LimitBackfill(database, LOCK, CAP_HELD);
    this.rules = database.sql(RULES);
    this.declared = database.sql(IntakeStatements.DECLARED);
  }

  @Override
  public void pause(String queue, @Nullable String reason) {
    database.run(
        "pause queue %s".formatted(queue),
        handle -> handle.createUpdate(pause).bind("queue", queue).bind("reason", reason).execute());
  }

  @Override
  public void resume(String queue) {
    database.run(
        "resume queue %s".formatted(queue),
        handle -> handle.createUpdate(resume).bind("queue", queue).execute());
  }

  /**
   * Sets the limit first and marks the held jobs afterwards, in separate transactions: as soon as
   * the limit is set, no new claim exceeds it. A claim that was in progress in between is not
   * counted, so its jobs can exceed the limit for as long as they run.
   */
  @Override
  public void limit(String queue, @Nullable Integer most) {
    database.run(
        "limit queue %s".formatted(queue),
        handle -> handle.createUpdate(limit).bind("queue", queue).bind("most", most).execute());
    if (most != null) {
      backfill.of(queue);
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
    return database.run("list the queues", counts::list);
  }

  @Override
  public Optional<Sample> sample(Set<String> queues, Duration freshFor) {
    Optional<Sample> known =
        database.run("read the depths of queues", handle -> read(handle, queues, freshFor));
    return known.isPresent()
        ? known
        : database.transaction("measure queues", handle -> measure(handle, queues, freshFor));
  }

  @Override
  public Optional<Map<String, Depth>> depths(Duration freshFor) {
    return sample(Set.of(), freshFor)
        .map(fresh -> database.run("read the depths of all queues", this::depths));
  }

  private Map<String, Depth> depths(Handle handle) {
    Map<String, Depth> found = new HashMap<>();
    handle
        .createQuery(depths)
        .map((row, context) ->
            Map.entry(
                row.getString(1), new Depth(row.getLong(2), SqlValues.ofMicros(row.getLong(3)))))
        .forEach(depth -> found.put(depth.getKey(), depth.getValue()));
    return found;
  }

  /**
   * Counts the jobs of all queues unless another process does. The lock ends with the transaction,
   * so a process that dies while it counts blocks no other.
   */
  private Optional<Sample> measure(Handle handle, Set<String> queues, Duration freshFor) {
    boolean alone =
        handle
            .createQuery(TRY_LOCK)
            .bind("name", "holdfast sample " + database.schema())
            .map((row, context) -> row.getBoolean(1))
            .one();
    if (!alone) {
      return Optional.empty();
    }
    Optional<Sample> known = read(handle, queues, freshFor);
    if (known.isPresent()) {
      return known;
    }
    Map<String, Depth> depths = new TreeMap<>();
    counts.list(handle).stream()
        .filter(queue -> queue.ready() > 0)
        .forEach(queue -> depths.put(queue.name(), new Depth(queue.ready(), queue.oldestReady())));
    Map<String, Long> unknown = counts.unknownTasks(handle);
    write(handle, depths, unknown);
    return read(handle, queues, freshFor.plusSeconds(1)).map(PgQueueStore::counted);
  }

  private static Sample counted(Sample sample) {
    return new Sample(
        sample.depths(),
        sample.unknownTasks(),
        sample.nodes(),
        sample.serving(),
        sample.strandedRuns(),
        true);
  }

  private Optional<Sample> read(Handle handle, Set<String> queues, Duration freshFor) {
    Map<String, Depth> depths = new HashMap<>();
    Map<String, Long> unknown = new HashMap<>();
    Map<String, Integer> serving = new HashMap<>();
    AtomicLong stranded = new AtomicLong();
    List<Integer> nodes =
        handle
            .createQuery(sample)
            .bindArray("queues", String.class, List.copyOf(queues))
            .bind("fresh", SqlValues.micros(freshFor))
            .map((row, context) -> {
              String queue = row.getString(4);
              if (row.getObject(5) != null) {
                depths.put(queue, new Depth(row.getLong(5), SqlValues.ofMicros(row.getLong(6))));
              }
              if (row.getObject(7) != null) {
                serving.put(queue, row.getInt(7));
              }
              if (queue == null) {
                stranded.set(row.getLong(8));
                String[] tasks = (String[]) row.getArray(1).getArray();
                Long[] waiting = (Long[]) row.getArray(2).getArray();
                for (int i = 0; i < tasks.length; i++) {
                  unknown.put(tasks[i], waiting[i]);
                }
              }
              return row.getInt(3);
            })
            .list();
    return nodes.stream()
        .findFirst()
        .map(live -> new Sample(depths, unknown, live, serving, stranded.get(), false));
  }

  private void write(Handle handle, Map<String, Depth> depths, Map<String, Long> unknown) {
    handle
        .createUpdate(writeSample)
        .bindArray("names", String.class, List.copyOf(depths.keySet()))
        .bindArray("ready", Long.class, depths.values().stream().map(Depth::ready).toList())
        .bindArray(
            "oldest",
            Long.class,
            depths.values().stream().map(depth -> SqlValues.micros(depth.oldestReady())).toList())
        .bindArray("unknown", String.class, List.copyOf(unknown.keySet()))
        .bindArray("waiting", Long.class, List.copyOf(unknown.values()))
        .bind("mostStranded", MOST_COUNTED)
        .execute();
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
}
