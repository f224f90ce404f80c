package dev.holdfast.postgres.schema;

import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlFailures;
import java.sql.Connection;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
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
 * Manages the partitions of history, one for each UTC day.
 *
 * <p>They are created ahead of time and dropped as a whole, so that deleting history costs nothing.
 * Creating or dropping one takes locks that block statements that finish jobs. So every attempt
 * gives up after a fraction of a second, and the next round tries again. Until then the default
 * partition receives the rows that have no other. A failure for one day, for example because a view
 * uses its partition, does not affect the others.
 *
 * <p>To attach a partition, the server scans the whole default partition under an exclusive lock,
 * to check that no row belongs in the new one. If the default partition has many rows, that takes
 * long. So a large default partition first gets a check constraint that excludes the day. The
 * constraint is validated without blocking anything, and lets the server skip the scan. While it
 * exists, the default partition cannot receive rows of that day. So this is done days ahead, and
 * the constraint is dropped before its day starts, whether the partition was attached or not.
 */
public final class Partitions {
  private static final Logger log = LoggerFactory.getLogger(Partitions.class);

  private static final int DAYS_AHEAD = 3;

  /**
   * The first day, counted from today, that the default partition may exclude. That leaves enough
   * time.
   */
  private static final int FIRST_EXCLUDED = 2;

  /** A size that is scanned in a few milliseconds. */
  private static final long LARGE_BYTES = 8 << 20;

  /** About a million rows: below that, deleting them one by one costs less than partitions. */
  private static final long WORTH_BYTES = 256 << 20;

  private static final Duration LONGEST_VALIDATION = Duration.ofMinutes(10);
  private static final String LOCK_TIMEOUT = "set local lock_timeout = '100ms'";
  private static final String PREFIX = "job_history_";
  private static final String EXCLUDING = PREFIX + "default_without_";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{8})");
  private static final Pattern EXCLUDED = Pattern.compile(EXCLUDING + "(\\d{8})");
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  // The lock is not available, or the default partition already has rows of that day, or another
  // node has just created or dropped the partition.
  private static final Set<String> NOT_NOW = Set.of("55P03", "23514", "42P07", "23505", "42P01");

  // Includes the date, so that a round that finds nothing to do costs one query.
  private static final String EXISTING =
      """
      select (now() at time zone 'UTC')::date, c.relname,
             pg_relation_size('${schema}.job_history_default'), pg_has_role(p.relowner, 'usage')
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      join pg_class p on p.oid = i.inhparent
      where i.inhparent = '${schema}.job_history'::regclass
      union all
      select (now() at time zone 'UTC')::date, conname,
             pg_relation_size('${schema}.job_history_default'), pg_has_role(o.relowner, 'usage')
      from pg_constraint
      join pg_class o on o.oid = '${schema}.job_history'::regclass
      where conrelid = '${schema}.job_history_default'::regclass and contype = 'c'
      """;

  // Attaching takes a weaker lock on history than creating the partition in place.
  private static final String CREATE =
      """
      create table ${schema}.${name} (like ${schema}.job_history including defaults including constraints);
      alter table ${schema}.job_history attach partition ${schema}.${name}
        for values from ('${from} 00:00:00+00') to ('${to} 00:00:00+00')
      """;

  private static final String EXCLUDE =
      """
      alter table ${schema}.job_history_default add constraint ${excluding}
        check (finished_at < '${from} 00:00:00+00' or finished_at >= '${to} 00:00:00+00') not valid
      """;

  // Waits only for other changes of the table, and blocks no reads or writes.
  private static final String VALIDATE =
      "alter table ${schema}.job_history_default validate constraint ${excluding}";

  private static final String ADMIT =
      "alter table ${schema}.job_history_default drop constraint if exists ${excluding}";

  private static final String DROP = "drop table ${schema}.${name}";

  private final Database database;
  private final Predicate<Handle> mayProceed;
  private final boolean onlyIfLarge;

  /** Creates an object that always proceeds, even if another node does the same. */
  public Partitions(Database database) {
    this(database, handle -> true);
  }

  /**
   * @param mayProceed called inside each transaction, so that it can take a lock there
   */
  public Partitions(Database database, Predicate<Handle> mayProceed) {
    this(database, mayProceed, false);
  }

  /**
   * @param onlyIfLarge whether to create partitions only when the default partition has become
   *     large, for one of many schemas of which most have little history
   */
  public Partitions(Database database, Predicate<Handle> mayProceed, boolean onlyIfLarge) {
    this.database = database;
    this.mayProceed = mayProceed;
    this.onlyIfLarge = onlyIfLarge;
  }

  /**
   * Today by the clock of the database, and the days that have a partition.
   *
   * @param mayChange whether the role owns history, which creating and dropping partitions requires
   */
  private record Calendar(
      LocalDate today,
      Set<LocalDate> days,
      Set<LocalDate> excluded,
      long defaultBytes,
      boolean mayChange) {
    boolean isComplete() {
      return IntStream.rangeClosed(0, DAYS_AHEAD)
          .mapToObj(today::plusDays)
          .allMatch(days::contains);
    }
  }

  /**
   * Creates the missing partitions of today and of the next days. A role that may not create them
   * gets a warning at each start: it can work without them.
   */
  public void ensure() {
    Calendar calendar = look();
    if (!calendar.mayChange() && !calendar.isComplete()) {
      log.warn(
          "This role may not create the daily partitions of history in schema {}, because it does"
              + " not own them: ended jobs without a partition go to job_history_default, where"
              + " they are deleted row by row. Let a node or the holdfast command connect as the"
              + " owner each day, or grant the owner's role to this one",
          database.schema());
    }
    ensure(calendar);
  }

  /** Returns whether {@link #ensure} would find nothing to do. */
  boolean areComplete(Handle handle) {
    Calendar calendar = look(handle);
    return calendar.isComplete() && calendar.excluded().isEmpty();
  }

  /**
   * Creates missing partitions, and drops the partitions of days that ended longer ago than the
   * retention.
   *
   * @return how many partitions were dropped
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
    for (LocalDate day : calendar.excluded()) {
      if (calendar.days().contains(day)
          || day.isBefore(calendar.today().plusDays(FIRST_EXCLUDED))) {
        boolean unused =
            attempt("admit rows of %s to the default partition".formatted(day), ADMIT, day);
      }
    }
    if (onlyIfLarge && calendar.days().isEmpty() && calendar.defaultBytes() < WORTH_BYTES) {
      return;
    }
    for (int ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      LocalDate day = calendar.today().plusDays(ahead);
      if (!calendar.days().contains(day)) {
        if (calendar.defaultBytes() < LARGE_BYTES) {
          boolean unused =
              attempt("create the history partition of %s".formatted(day), CREATE, day);
        } else if (ahead >= FIRST_EXCLUDED) {
          makeBesideLargeDefault(day, calendar.excluded().contains(day));
        }
      }
    }
  }

  private void makeBesideLargeDefault(LocalDate day, boolean excluded) {
    String operation = "create the history partition of %s".formatted(day);
    if ((excluded || attempt(operation, EXCLUDE, day)) && validate(operation, day)) {
      boolean unused = attempt(operation, CREATE + ";" + ADMIT, day);
    }
  }

  /** Validates the constraint, which reads the default partition and may take minutes. */
  private boolean validate(String operation, LocalDate day) {
    return database.transaction(
        operation,
        handle -> {
          Connection connection = handle.getConnection();
          int patience = connection.getNetworkTimeout();
          connection.setNetworkTimeout(
              Runnable::run, Math.toIntExact(LONGEST_VALIDATION.plusMinutes(1).toMillis()));
          try {
            handle.execute("set local statement_timeout = " + LONGEST_VALIDATION.toMillis());
            return attempt(handle, operation, sql(VALIDATE, day));
          } finally {
            if (!connection.isClosed()) {
              connection.setNetworkTimeout(Runnable::run, patience);
            }
          }
        });
  }

  private boolean attempt(String operation, String template, LocalDate day) {
    String sql = sql(template, day);
    return database.transaction(operation, handle -> attempt(handle, operation, sql));
  }

  private String sql(String template, LocalDate day) {
    return database
        .sql(template)
        .replace("${name}", PREFIX + DAY.format(day))
        .replace("${excluding}", EXCLUDING + DAY.format(day))
        .replace("${from}", day.toString())
        .replace("${to}", day.plusDays(1).toString());
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
      if (SqlFailures.isOfConnection(failure)) {
        throw failure;
      }
      handle.execute("rollback to savepoint before");
      String reason = SqlFailures.reason(failure);
      if (NOT_NOW.contains(SqlFailures.state(failure))) {
        log.info("Could not {} now: {}. The next round tries again.", operation, reason);
      } else {
        log.warn("Could not {}: {}. The next round tries again.", operation, reason);
      }
      return false;
    }
  }

  private Calendar look() {
    return database.run("list the partitions of history", this::look);
  }

  private Calendar look(Handle handle) {
    // There is always at least one row: the default partition.
    Set<LocalDate> days = new TreeSet<>();
    Set<LocalDate> excluded = new TreeSet<>();
    List<Existing> rows =
        handle
            .createQuery(database.sql(EXISTING))
            .map((row, context) ->
                new Existing(
                    row.getObject(1, LocalDate.class),
                    row.getString(2),
                    row.getLong(3),
                    row.getBoolean(4)))
            .list();
    for (Existing row : rows) {
      day(NAME, row.name()).ifPresent(days::add);
      day(EXCLUDED, row.name()).ifPresent(excluded::add);
    }
    Existing any = rows.getFirst();
    return new Calendar(any.today(), days, excluded, any.defaultBytes(), any.mayChange());
  }

  /** An existing partition or constraint. */
  private record Existing(LocalDate today, String name, long defaultBytes, boolean mayChange) {}

  private static Optional<LocalDate> day(Pattern pattern, String name) {
    Matcher matcher = pattern.matcher(name);
    return matcher.matches()
        ? Optional.of(LocalDate.parse(matcher.group(1), DAY))
        : Optional.empty();
  }
}
