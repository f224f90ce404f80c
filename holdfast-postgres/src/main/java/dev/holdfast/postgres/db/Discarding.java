package dev.holdfast.postgres.db;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends connections for good.
 *
 * <p>A connection that is merely closed goes back to its pool and is handed out again. One that
 * leads to a server that is no longer the primary would fail each of its users for as long as the
 * pool keeps it, which may be forever.
 */
public final class Discarding {
  private static final Logger log = LoggerFactory.getLogger(Discarding.class);
  private static final String HIKARI = "com.zaxxer.hikari";

  private Discarding() {}

  /** Let this connection never be handed out again; its user still has to close it. */
  public static void discard(DataSource source, Connection connection) {
    try {
      HikariDataSource pool = hikari(source);
      if (source instanceof KeptConnection kept) {
        kept.discard(connection);
      } else if (pool != null && connection.getClass().getName().startsWith(HIKARI)) {
        // It takes a connection that was aborted for broken, and says so with a stack trace.
        pool.evictConnection(connection);
      } else {
        connection.abort(Runnable::run);
      }
    } catch (SQLException broken) {
      log.debug("A connection was broken before it could be discarded", broken);
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
