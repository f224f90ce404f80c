package dev.holdfast.postgres.schema;

import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Failures;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of history, one for each day of UTC.
 *
 * <p>They are made ahead of time and dropped whole, so that throwing history away costs nothing. To
 * make or drop one takes locks that finishing jobs would have to wait for. So every attempt gives
 * up after a fraction of a second, and the next round tries again: until then the default partition
 * catches what has no other. What fails for one day, say because somebody has a view on it, does
 * not keep the others.
 */
public final class Partitions {
  private static final Logger log = LoggerFactory.getLogger(Partitions.class);

  private static final int DAYS_AHEAD = 3;
  private static final String LOCK_TIMEOUT = "set local lock_timeout = '100ms'";
  private static final String PREFIX = "job_history_";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{8})");
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  // No lock, or rows of that day in the default partition already; or another node has just made
  // the partition, or dropped it.
  private static final Set<String> NOT_NOW = Set.of("55P03", "23514", "42P07", "23505", "42P01");

  // The date as well, so that a round that finds nothing to do asks once.
  private static final String EXISTING =
      """
      select (now() at time zone 'UTC')::date, c.relname, pg_has_role(p.relowner, 'usage')
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      join pg_class p on p.oid = i.inhparent
      where i.inhparent = '${schema}.job_history'::regclass
      """;

  // Attaching takes a weaker lock on the whole of history than creating in place would.
  private static final String CREATE =
      """
      create table ${schema}.${name} (like ${schema}.job_history including defaults including constraints);
      alter table ${schema}.job_history attach partition ${schema}.${name}
        for values from ('${from} 00:00:00+00') to ('${to} 00:00:00+00')
      """;

  private static final String DROP = "drop table ${schema}.${name}";

  private final Database database;
  private final Predicate<Handle> mayProceed;

  /** Proceed whoever else may be at it. */
  public Partitions(Database database) {
    this(database, handle -> true);
  }

  /**
   * @param mayProceed asked inside each transaction, so that it can take a lock there
   */
  public Partitions(Database database, Predicate<Handle> mayProceed) {
    this.database = database;
    this.mayProceed = mayProceed;
  }

  /**
   * Today by the clock of the database, and the days that have a partition.
   *
   * @param mayChange whether the role is an owner of history, as making and dropping requires
   */
  private record Calendar(LocalDate today, Set<LocalDate> days, boolean mayChange) {
    boolean isComplete() {
      return IntStream.rangeClosed(0, DAYS_AHEAD).mapToObj(today::plusDays).allMatch(days::contains);
    }
  }

  /**
   * Make the partitions of today and of the next days, as far as they are missing. A role that may
   * not make them is warned, at each start: it can work without them.
   */
  public void ensure() {
    Calendar calendar = look();
    if (!calendar.mayChange() && !calendar.isComplete()) {
      log.warn(
          "This role may not make the daily partitions of history in schema {}, since it does not"
              + " own them: ended jobs without a partition go to job_history_default, where they"
              + " are deleted row by row. Let a node or the holdfast command connect as the owner"
              + " each day, or grant the owner's role to this one",
          database.schema());
    }
    ensure(calendar);
  }

  /**
   * Make what is missing, and drop the partitions of days that are over for longer than this.
   *
   * @return how many were dropped
   */
  public int tidy(Duration retention) {
    Calendar calendar = look();
    ensure(calendar);
    if (!calendar.mayChange()) {
      return 0;
    }
    long daysKept = Math.min(retention.plusDays(1).minusNanos(1).toDays(), 3_650_000);
    LocalDate first = calendar.today().minusDays(daysKept);
    return (int)
        calendar.days().stream()
            .filter(day -> day.isBefore(first))
            .filter(day -> attempt("drop the history partition of %s".formatted(day), DROP, day))
            .count();
  }

  private void ensure(Calendar calendar) {
    if (!calendar.mayChange()) {
      return;
    }
    for (int ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      LocalDate day = calendar.today().plusDays(ahead);
      if (!calendar.days().contains(day)) {
        boolean unused = attempt("make the history partition of %s".formatted(day), CREATE, day);
      }
    }
  }

  private boolean attempt(String operation, String template, LocalDate day) {
    String sql =
        database
            .sql(template)
            .replace("${name}", PREFIX + DAY.format(day))
            .replace("${from}", day.toString())
            .replace("${to}", day.plusDays(1).toString());
    return database.transaction(operation, handle -> attempt(handle, operation, sql));
  }

  private boolean attempt(Handle handle, String operation, String sql) {
    if (!mayProceed.test(handle)) {
      return false;
    }
    handle.execute(LOCK_TIMEOUT);
    handle.execute("savepoint before");
    try {
      handle.createScript(sql).execute();
      return true;
    } catch (JdbiException failure) {
      if (Failures.isOfConnection(failure)) {
        throw failure;
      }
      handle.execute("rollback to savepoint before");
      String reason = Failures.reason(failure);
      if (NOT_NOW.contains(Failures.state(failure))) {
        log.info("Could not {} now: {}. The next round tries again.", operation, reason);
      } else {
        log.warn("Could not {}: {}. The next round tries again.", operation, reason);
      }
      return false;
    }
  }

  private record Row(LocalDate today, String name, boolean mayChange) {}

  private Calendar look() {
    return database.run(
        "list the partitions of history",
        handle -> {
          // There is always one row: the default partition.
          Set<LocalDate> days = new TreeSet<>();
          LocalDate today = LocalDate.MIN;
          boolean mayChange = false;
          for (Row row :
              handle
                  .createQuery(database.sql(EXISTING))
                  .map((row, context) ->
                      new Row(
                          row.getObject(1, LocalDate.class), row.getString(2), row.getBoolean(3)))
                  .list()) {
            today = row.today();
            mayChange = row.mayChange();
            Matcher name = NAME.matcher(row.name());
            if (name.matches()) {
              days.add(LocalDate.parse(name.group(1), DAY));
            }
          }
          return new Calendar(today, days, mayChange);
        });
  }
}
