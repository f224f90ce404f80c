package dev.holdfast.postgres.notify;

import dev.holdfast.postgres.db.Discarding;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that listens for notifications. */
final class ListeningConnection {
  private static final Logger log = LoggerFactory.getLogger(ListeningConnection.class);
  private static final PGNotification[] NONE = {};
  private static final Duration UNLISTEN_TIMEOUT = Duration.ofSeconds(1);

  private final DataSource source;
  private final boolean pooled;
  private final Connection connection;
  private final int networkTimeout;

  /**
   * @param pooled whether the connection belongs to a pool that other code uses
   */
  ListeningConnection(DataSource source, boolean pooled) throws SQLException {
    this.source = source;
    this.pooled = pooled;
    this.connection = source.getConnection();
    this.networkTimeout = connection.getNetworkTimeout();
  }

  void listen(Channel channel) throws SQLException {
    connection.setAutoCommit(true);
    execute(channel.listen());
  }

  /** Checks that the server replies. */
  void ask(Duration patience) throws SQLException {
    within(patience, "select 1");
  }

  /** Returns the notifications that have arrived or that arrive within the given time. */
  PGNotification[] await(Duration time) throws SQLException {
    // Not 0, which would wait without a timeout.
    PGNotification @Nullable [] arrived =
        connection.unwrap(PGConnection.class).getNotifications((int) time.toMillis() + 1);
    return arrived == null ? NONE : arrived;
  }

  /**
   * Closes the connection. A pooled connection must stop listening before its next user gets it; if
   * that fails, the pool is told to drop it.
   */
  void end() {
    if (!pooled) {
      discard(); // Without a statement: the server may not reply.
      return;
    }
    try {
      within(UNLISTEN_TIMEOUT, "unlisten *");
      connection.close();
    } catch (SQLException gone) {
      log.debug("The listening connection was already broken", gone);
      discard();
    }
  }

  void discard() {
    Discarding.discard(source, connection);
    try {
      connection.close();
    } catch (SQLException gone) {
      log.debug("The listening connection was already broken", gone);
    }
  }

  /** Stops a read, from another thread. */
  void abort() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException gone) {
      log.debug("The listening connection was already broken", gone);
    }
  }

  private void within(Duration patience, String sql) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, (int) patience.toMillis());
    execute(sql);
    connection.setNetworkTimeout(Runnable::run, networkTimeout);
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
