package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.db.QuietDataSource;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.postgresql.PGProperty;

/** Makes connections as settings say. */
final class Connections {
  /** How much longer the socket waits than the server works: the server's own word is better. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final Duration HEARTBEAT = Duration.ofSeconds(4);

  private Connections() {}

  /** A source of single connections. */
  static DataSource single(PostgresSettings settings) {
    return single(settings, settings.statementTimeout(), GRACE);
  }

  /** The same without timeouts, for what may take long. */
  static DataSource patient(PostgresSettings settings) {
    return single(settings, Duration.ZERO, Duration.ZERO);
  }

  /** A pool that asks the database nothing of its own accord. */
  static HikariDataSource pool(PostgresSettings settings) {
    HikariConfig config = quiet(settings, "pool", single(settings));
    config.setMaximumPoolSize(settings.poolSize());
    config.setMinimumIdle(1);
    config.setConnectionTimeout(Duration.ofSeconds(10).toMillis());
    return new HikariDataSource(config);
  }

  /**
   * A connection for heartbeats alone. However busy the pool is, a node must be able to say that it
   * lives; and an answer that takes longer than a heartbeat is worth less than another try.
   */
  static HikariDataSource heart(PostgresSettings settings) {
    HikariConfig config =
        quiet(settings, "heart", single(settings, HEARTBEAT, Duration.ofSeconds(1)));
    config.setMaximumPoolSize(1);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(HEARTBEAT.toMillis());
    return new HikariDataSource(config);
  }

  private static HikariConfig quiet(PostgresSettings settings, String use, DataSource source) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(settings.name() + "-" + settings.schema() + "-" + use);
    config.setDataSource(source);
    config.setKeepaliveTime(0);
    // Whether the database is there is asked, and answered in words, by Migrations.
    config.setInitializationFailTimeout(-1);
    return config;
  }

  private static DataSource single(PostgresSettings settings, Duration timeout, Duration grace) {
    Properties properties = new Properties();
    if (settings.user() != null) {
      PGProperty.USER.set(properties, settings.user());
    }
    if (settings.password() != null) {
      PGProperty.PASSWORD.set(properties, settings.password());
    }
    PGProperty.APPLICATION_NAME.set(properties, settings.name());
    PGProperty.OPTIONS.set(properties, options(timeout));
    PGProperty.SOCKET_TIMEOUT.set(properties, (int) timeout.plus(grace).toSeconds());
    PGProperty.CONNECT_TIMEOUT.set(
        properties, timeout.isZero() ? 10 : (int) Math.min(10, timeout.toSeconds()));
    PGProperty.TCP_KEEP_ALIVE.set(properties, true);
    return new QuietDataSource(settings.url(), properties);
  }

  /**
   * Besides timeouts, how to plan. The hot statements go by index whatever the statistics say: a
   * plan cached while the table of live jobs was empty reads all of it, and would go on doing so
   * when it has filled (measured; no cost otherwise).
   */
  private static String options(Duration timeout) {
    // The server drops a client it cannot reach, and with it the locks of a machine that is gone.
    return "-c statement_timeout=%1$d -c idle_in_transaction_session_timeout=%1$d -c tcp_user_timeout=%1$d"
            .formatted(timeout.toMillis())
        + " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
        // Before PostgreSQL 18 a path that is switched off counts as very expensive, and each beat
        // and sweep that has no other would be worth compiling.
        + " -c jit=off"
        // What is counted under a lock must be younger than the lock, whatever the default here.
        + " -c default_transaction_isolation=read\\ committed";
  }
}
