package dev.holdfast.postgres.job;

import dev.holdfast.postgres.db.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Searches history by id, a few partitions at a time.
 *
 * <p>A statement locks every partition that its plan names, and each of their indexes, until its
 * transaction ends. For a year of history that is about 1,900 locks, and a server with default
 * settings has room for about 6,400 in all sessions. So each statement names a window of days, with
 * values that the planner knows, and only the partitions of that window are locked.
 *
 * <p>The id of a job contains the time at which it was created, and most jobs end soon after that.
 * A search starts there and continues with all other days, because jobs can wait for weeks, clocks
 * can be wrong, and callers may choose ids that contain no time.
 *
 * <p>The first statement of a search must also cover live jobs and the dead-letter queue, in one
 * snapshot. A job that is in neither of them has ended or does not exist. Jobs never leave history,
 * so the later statements cannot miss it.
 */
public final class HistorySearch {
  /** The number of days in a window. Each day takes five locks. */
  private static final int DAYS = 6;

  /**
   * The number of days in the first window, which is smaller because its statement also reads live
   * jobs and the dead-letter queue.
   */
  private static final int NEAR_DAYS = 4;

  private static final int VERSION_WITH_TIME = 7;
  private static final LocalDate NO_DAY = LocalDate.EPOCH;

  // Two rows of the catalog. The name of a partition ends with its day.
  private static final String ENDS =
      """
      select min(c.relname), max(c.relname)
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = '${schema}.job_history'::regclass and c.relname ~ '_[0-9]{8}$'
      """;

  private final String ends;

  public HistorySearch(Database database) {
    this.ends = database.sql(ENDS);
  }

  /**
   * UTC days on which jobs ended.
   *
   * @param from the first day
   * @param to the day after the last
   */
  public record Window(LocalDate from, LocalDate to) {
    /** Returns the start of the window as a statement parameter. */
    public OffsetDateTime start() {
      return from.equals(LocalDate.MIN) ? OffsetDateTime.MIN : at(from);
    }

    /** Returns the end of the window as a statement parameter. */
    public OffsetDateTime end() {
      return to.equals(LocalDate.MAX) ? OffsetDateTime.MAX : at(to);
    }

    private static OffsetDateTime at(LocalDate day) {
      return day.atStartOfDay().atOffset(ZoneOffset.UTC);
    }
  }

  /** Looks for jobs among those that ended in a window, and returns the ids it found. */
  @FunctionalInterface
  public interface Probe {
    Set<UUID> find(Window window, Set<UUID> ids) throws SQLException;
  }

  /**
   * Returns the window in which most of these jobs have ended, if they have ended. The first
   * statement should cover it.
   */
  public static Window near(Collection<UUID> ids) {
    LocalDate newest =
        ids.stream()
            .filter(id -> id.version() == VERSION_WITH_TIME)
            .map(HistorySearch::day)
            .max(LocalDate::compareTo)
            .orElse(NO_DAY);
    LocalDate oldest =
        ids.stream()
            .filter(id -> id.version() == VERSION_WITH_TIME)
            .map(HistorySearch::day)
            .min(LocalDate::compareTo)
            .orElse(NO_DAY);
    LocalDate earliest = newest.plusDays(2).minusDays(NEAR_DAYS);
    LocalDate from = oldest.minusDays(1);
    return new Window(from.isBefore(earliest) ? earliest : from, newest.plusDays(2));
  }

  private static LocalDate day(UUID id) {
    return Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16)
        .atOffset(ZoneOffset.UTC)
        .toLocalDate();
  }

  /**
   * Searches everything except one window that has been searched. Inside a transaction, a rollback
   * to a savepoint releases the locks of each statement.
   *
   * @param missing the jobs to look for
   */
  public void elsewhere(
      Connection connection, Window searched, Collection<UUID> missing, Probe probe)
      throws SQLException {
    Set<UUID> left = new HashSet<>(missing);
    if (left.isEmpty()) {
      return;
    }
    boolean inTransaction = !connection.getAutoCommit();
    for (Window window : elsewhere(connection, searched)) {
      if (inTransaction) {
        execute(connection, "savepoint holdfast_search");
      }
      left.removeAll(probe.find(window, Set.copyOf(left)));
      if (inTransaction) {
        execute(connection, "rollback to savepoint holdfast_search");
        execute(connection, "release savepoint holdfast_search");
      }
      if (left.isEmpty()) {
        return;
      }
    }
  }

  private List<Window> elsewhere(Connection connection, Window searched) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ends)) {
      row.next();
      String first = row.getString(1);
      return first == null
          ? elsewhere(searched, NO_DAY, NO_DAY)
          : elsewhere(searched, dayOf(first), dayOf(row.getString(2)).plusDays(1));
    }
  }

  /** Returns all of history as windows of a few days each. */
  public List<Window> all(Connection connection) throws SQLException {
    return elsewhere(connection, new Window(NO_DAY, NO_DAY));
  }

  private static LocalDate dayOf(String partition) {
    return LocalDate.parse(
        partition.substring(partition.length() - 8), DateTimeFormatter.BASIC_ISO_DATE);
  }

  /**
   * Returns all days except those that were searched: later days first, because jobs end after they
   * were created.
   *
   * @param first the first day that has a partition
   * @param last the day after the last day that has a partition
   */
  static List<Window> elsewhere(Window searched, LocalDate first, LocalDate last) {
    List<Window> windows = new ArrayList<>();
    LocalDate day = searched.to();
    if (day.isBefore(first)) {
      windows.add(new Window(day, first));
      day = first;
    }
    for (; day.isBefore(last); day = day.plusDays(DAYS)) {
      windows.add(new Window(day, day.plusDays(DAYS)));
    }
    windows.add(new Window(day, LocalDate.MAX));
    day = searched.from();
    if (day.isAfter(last)) {
      windows.add(new Window(last, day));
      day = last;
    }
    for (; day.isAfter(first); day = day.minusDays(DAYS)) {
      windows.add(new Window(day.minusDays(DAYS), day));
    }
    windows.add(new Window(LocalDate.MIN, day));
    return windows;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
