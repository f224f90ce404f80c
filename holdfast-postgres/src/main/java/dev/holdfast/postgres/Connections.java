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

  private Connections() {}

  /** A source of single connections. */
  static DataSource single(PostgresSettings settings) {
    Properties properties = new Properties();
    if (settings.user() != null) {
      PGProperty.USER.set(properties, settings.user());
    }
    if (settings.password() != null) {
      PGProperty.PASSWORD.set(properties, settings.password());
    }
    Duration timeout = settings.statementTimeout();
    PGProperty.APPLICATION_NAME.set(properties, settings.name());
    PGProperty.OPTIONS.set(properties, options(timeout));
    PGProperty.SOCKET_TIMEOUT.set(properties, (int) timeout.plus(GRACE).toSeconds());
    PGProperty.CONNECT_TIMEOUT.set(properties, 10);
    PGProperty.TCP_KEEP_ALIVE.set(properties, true);
    return new QuietDataSource(settings.url(), properties);
  }

  /**
   * Besides timeouts, how to plan. The hot statements go by index whatever the statistics say: a
   * plan cached while the table of live jobs was empty reads all of it, and would go on doing so
   * when it has filled (measured; no cost otherwise).
   */
  private static String options(Duration timeout) {
    return "-c statement_timeout=%1$d -c idle_in_transaction_session_timeout=%1$d"
            .formatted(timeout.toMillis())
        + " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off";
  }

  /** A pool that asks the database nothing of its own accord. */
  static HikariDataSource pool(PostgresSettings settings) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(settings.name() + "-" + settings.schema());
    config.setDataSource(single(settings));
    config.setMaximumPoolSize(settings.poolSize());
    config.setMinimumIdle(1);
    config.setKeepaliveTime(0);
    config.setConnectionTimeout(Duration.ofSeconds(10).toMillis());
    // Whether the database is there is asked, and answered in words, by Migrations.
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }
}
