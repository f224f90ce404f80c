package dev.holdfast.postgres.rule;

import dev.holdfast.postgres.db.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/**
 * Counts the jobs that are held under the limit of a queue or a task, while the caller has locked
 * the row of that limit.
 *
 * <p>A plain count reads every index entry of the limit. While an old snapshot is open, these
 * include all jobs that have finished since, and a claim took 190 ms after 400,000 jobs. So each
 * process remembers the numbers of the jobs that were held at its last count, and reads only those
 * and newer ones. That misses none: numbers are assigned under the lock that the caller holds, so
 * every number that is not newer was visible to the last count, and a job that is claimed again
 * gets a new number.
 *
 * <p>A server that was restored or replaced may assign numbers again. It has another start time,
 * and in that case the count starts from scratch.
 */
public final class HeldCount {
  // By job_capped or job_task_capped. Rows without a number were claimed by an earlier version.
  private static final String COUNT =
      """
      select
        array(
          select h.${number} from ${schema}.job h where ${held} and h.${number} = any(:known)
          union all
          select h.${number} from ${schema}.job h where ${held} and h.${number} > :upTo),
        (select count(*) from ${schema}.job h where ${held} and h.${number} is null),
        nextval('${schema}.cap_number'),
        (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint
      """;

  private static final Seen NOTHING = new Seen(List.of(), 0, 0, 0);

  private final String sql;
  private final Map<String, Seen> lastSeen = new ConcurrentHashMap<>();

  /**
   * The result of a count.
   *
   * @param numbers the numbers of the held jobs
   * @param unnumbered how many more jobs are held
   * @param upTo newer jobs have larger numbers
   * @param server when the server was started
   */
  private record Seen(List<Long> numbers, long unnumbered, long upTo, long server) {
    static Seen read(ResultSet row) throws SQLException {
      Long[] numbers = (Long[]) row.getArray(1).getArray();
      return new Seen(List.of(numbers), row.getLong(2), row.getLong(3), row.getLong(4));
    }

    long count() {
      return numbers.size() + unnumbered;
    }
  }

  private HeldCount(Database database, String number, String held) {
    this.sql = database.sql(COUNT.replace("${number}", number).replace("${held}", held));
  }

  public static HeldCount ofQueue(Database database) {
    return new HeldCount(database, "cap_no", "h.queue = :name and h.capped");
  }

  static HeldCount ofTask(Database database) {
    return new HeldCount(
        database,
        "task_cap_no",
        "h.task = :name and h.task_capped and h.state in ('CLAIMED', 'RUNNING')");
  }

  /**
   * Counts the held jobs of a queue or task.
   *
   * @param handle has locked the row of the limit, in an earlier statement of its transaction
   */
  public long of(Handle handle, String name) {
    Seen before = lastSeen.getOrDefault(name, NOTHING);
    Seen seen = count(handle, name, before);
    if (!before.equals(NOTHING) && seen.server != before.server) {
      seen = count(handle, name, NOTHING);
    }
    lastSeen.put(name, seen);
    return seen.count();
  }

  private Seen count(Handle handle, String name, Seen before) {
    return handle
        .createQuery(sql)
        .bind("name", name)
        .bindArray("known", Long.class, before.numbers)
        .bind("upTo", before.upTo)
        .map((row, context) -> Seen.read(row))
        .one();
  }
}
