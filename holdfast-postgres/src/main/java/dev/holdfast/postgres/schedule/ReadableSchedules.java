package dev.holdfast.postgres.schedule;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads many schedules. A schedule that cannot be read must not hide the others: a program with
 * newer time zones may have written it. It is logged once, because schedules are read all the time.
 */
public final class ReadableSchedules {
  private static final Logger log = LoggerFactory.getLogger(ReadableSchedules.class);

  private static final int MOST_REMEMBERED = 10_000;

  /** Revisions by id, the newest last. */
  private final Map<String, Long> unreadable = new LinkedHashMap<>();

  /**
   * Returns the revisions, by id, of the schedules that could not be read and are still remembered.
   */
  synchronized Map<String, Long> unreadable() {
    return new LinkedHashMap<>(unreadable);
  }

  private synchronized boolean isNew(String id, Long revision) {
    boolean known = revision.equals(unreadable.put(id, revision));
    if (unreadable.size() > MOST_REMEMBERED) {
      unreadable.remove(unreadable.keySet().iterator().next());
    }
    return !known;
  }

  Optional<Kept> read(ResultSet row) throws SQLException {
    try {
      return Optional.of(ScheduleColumns.read(row));
    } catch (StoreException unreadable) {
      if (isNew(row.getString("id"), row.getLong("revision"))) {
        log.error("{}", unreadable.getMessage());
      }
      return Optional.empty();
    }
  }
}
