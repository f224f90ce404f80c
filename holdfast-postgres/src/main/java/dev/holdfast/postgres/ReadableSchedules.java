package dev.holdfast.postgres;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.ScheduleBook.Kept;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads many schedules, of which one that cannot be read must not hide the others: a program with
 * newer time zones may have written it. It is logged once, since they are read all the time.
 */
final class ReadableSchedules {
  private static final Logger log = LoggerFactory.getLogger(ReadableSchedules.class);

  private final Map<String, Long> revisionsLogged = new ConcurrentHashMap<>();

  Optional<Kept> read(ResultSet row) throws SQLException {
    try {
      return Optional.of(ScheduleColumns.read(row));
    } catch (StoreException unreadable) {
      Long revision = row.getLong("revision");
      if (!revision.equals(revisionsLogged.put(row.getString("id"), revision))) {
        log.error("{}", unreadable.getMessage());
      }
      return Optional.empty();
    }
  }
}
