package dev.holdfast.postgres.upkeep;

import dev.holdfast.engine.store.Staging;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.TallyShards;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/** Makes due jobs ready and expires jobs that were not started in time. */
public final class PgStaging implements Staging {
  // By job_due. The rank was computed from run_at when that was set, so only the state changes.
  private static final String READY =
      """
      update ${schema}.job j set state = 'READY', waits_for = null
      where j.ctid = any(array(
        select r.ctid from ${schema}.job r
        where r.state in ('SCHEDULED', 'WAITING') and r.run_at <= now()
        order by r.run_at limit :limit for update skip locked))
      returning j.queue
      """;

  // By job_start_by.
  private static final String EXPIRE =
      """
      with gone as (
        delete from ${schema}.job j
        where j.ctid = any(array(
          select r.ctid from ${schema}.job r
          where r.start_by <= now() and r.state in ('SCHEDULED', 'READY')
          order by r.start_by limit :limit for update skip locked))
        returning j.*, 'EXPIRED' as ended,
          (select n.id from ${schema}.node n where n.incarnation = j.incarnation) as node,
          null::text as result, null::timestamptz as result_until
      ), history as (
        ${history}
      ), tally as (
        ${tally}
      )
      select count(*) from gone
      """;

  // The heads of job_due and job_start_by.
  private static final String NEXT =
      """
      select (extract(epoch from least(
        (select min(run_at) from ${schema}.job where state in ('SCHEDULED', 'WAITING')),
        (select min(start_by) from ${schema}.job
         where start_by is not null and state in ('SCHEDULED', 'READY'))) - now()) * 1000000)::bigint
      """;

  private final Database database;
  private final TallyShards shards = new TallyShards();
  private final String ready;
  private final String expire;
  private final String next;

  public PgStaging(Database database) {
    this.database = database;
    this.ready = database.sql(READY);
    this.expire = database.sql(History.into(EXPIRE));
    this.next = database.sql(NEXT);
  }

  @Override
  public Report stage(int limit) {
    return database.run("stage jobs that are due", handle -> stage(handle, limit));
  }

  /** Stages jobs. It looks first: most of the time nothing is due, and one query is enough. */
  private Report stage(Handle handle, int limit) {
    Optional<Duration> wait = next(handle);
    if (wait.isEmpty() || !wait.get().isZero()) {
      return new Report(Map.of(), 0, false, wait);
    }
    int expired = expire(handle, limit);
    Map<String, Integer> readied = ready(handle, limit);
    int total = readied.values().stream().mapToInt(Integer::intValue).sum();
    return new Report(readied, expired, expired >= limit || total >= limit, next(handle));
  }

  private Optional<Duration> next(Handle handle) {
    return handle
        .createQuery(next)
        .map((row, context) -> Optional.ofNullable(row.getObject(1, Long.class)))
        .one()
        .map(micros -> SqlValues.ofMicros(Math.max(0, micros)));
  }

  private int expire(Handle handle, int limit) {
    return handle
        .createQuery(expire)
        .bind("limit", limit)
        .bind("shard", shards.next())
        .map((row, context) -> row.getInt(1))
        .one();
  }

  private Map<String, Integer> ready(Handle handle, int limit) {
    Map<String, Integer> readied = new TreeMap<>();
    handle
        .createQuery(ready)
        .bind("limit", limit)
        .map((row, context) -> row.getString(1))
        .forEach(queue -> readied.merge(queue, 1, Integer::sum));
    return readied;
  }
}
