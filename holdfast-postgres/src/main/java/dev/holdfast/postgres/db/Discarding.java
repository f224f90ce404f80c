package dev.holdfast.postgres.db;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections so that a pool cannot reuse them.
 *
 * <p>A connection that is closed normally returns to its pool and is reused. If it leads to a
 * server that is no longer the primary, every request on it fails for as long as the pool keeps it,
 * which may be forever.
 */
public final class Discarding {
  private static final Logger log = LoggerFactory.getLogger(Discarding.class);
  private static final String HIKARI = "com.zaxxer.hikari";

  private Discarding() {}

  /** Ensures that the connection is not reused. Its user must still close it. */
  public static void discard(DataSource source, Connection connection) {
    try {
      HikariDataSource pool = hikari(source);
      if (source instanceof KeptConnection kept) {
        kept.discard(connection);
      } else if (pool != null && connection.getClass().getName().startsWith(HIKARI)) {
        // HikariCP treats an aborted connection as broken and logs a stack trace.
        pool.evictConnection(connection);
      } else {
        connection.abort(Runnable::run);
      }
    } catch (SQLException broken) {
      log.debug("Could not discard a connection because it was already broken", broken);
    }
  }

  private static @Nullable HikariDataSource hikari(DataSource source) {
    try {
      return source instanceof HikariDataSource pool
          ? pool
          : source.isWrapperFor(HikariDataSource.class)
              ? source.unwrap(HikariDataSource.class)
              : null;
    } catch (SQLException unwrapsNothing) {
      return null;
    }
  }
}
