package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.KeptConnection;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections according to the settings.
 *
 * @param session their {@code application_name}
 * @param cachedStatements how many statements each connection keeps prepared; null for the default
 *     of the driver
 */
record Connections(PostgresSettings settings, String session, @Nullable Integer cachedStatements) {
  private static final Logger log = LoggerFactory.getLogger(Connections.class);

  /** How long a migration may take, including the wait for a migration by another node. */
  static final Duration MIGRATION = Duration.ofHours(1);

  /**
   * How much longer the socket waits than the server works: an error from the server says more than
   * a socket timeout.
   */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final Duration CONNECT = Duration.ofSeconds(10);

  /**
   * How long a connection is used. After a failover, the address may lead to another server. A
   * connection that still works, but to the old server, would never notice.
   */
  static final Duration LIFETIME = Duration.ofMinutes(30);

  /** How long the pool keeps more than one idle connection. */
  private static final Duration IDLE = Duration.ofMinutes(2);

  /**
   * How long a client may leave its transaction idle, or leave data from the server unacknowledged.
   * Shorter than any sensible node timeout, so that the locks of a lost machine are released by the
   * time its jobs are recovered. Longer than our own transactions pause in a busy process: they
   * never wait for anything but the server.
   */
  private static final Duration ABSENCE = Duration.ofSeconds(3);

  /**
   * After how many executions a shared connection keeps a statement prepared: fewer than the
   * default of the driver, because it executes each statement of a schema less often.
   */
  private static final int SHARED_THRESHOLD = 2;

  Connections(PostgresSettings settings, String session) {
    this(settings, session, null);
  }

  /** Returns a source of single connections. */
  DataSource single() {
    return working(settings.statementTimeout(), GRACE);
  }

  /** Returns a pool that sends no statements unless it is used. */
  HikariDataSource pool() {
    return new HikariDataSource(poolConfig());
  }

  /**
   * Returns a pool of one connection, which is closed while it is not used.
   *
   * @param timer a thread for many such pools
   */
  HikariDataSource poolOfOne(ScheduledExecutorService timer) {
    HikariConfig config = poolConfig();
    config.setMaximumPoolSize(1);
    config.setMinimumIdle(0);
    config.setScheduledExecutor(timer);
    return new HikariDataSource(config);
  }

  private HikariConfig poolConfig() {
    HikariConfig config = new HikariConfig();
    config.setPoolName(settings.name() + "-" + settings.schema() + "-pool");
    config.setDataSource(single());
    config.setKeepaliveTime(0);
    // Migrations checks whether the database can be reached and reports the error in full.
    config.setInitializationFailTimeout(-1);
    config.setMaximumPoolSize(settings.poolSize());
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECT.toMillis());
    // The pool varies it by up to 1/40.
    config.setMaxLifetime(LIFETIME.toMillis());
    config.setIdleTimeout(IDLE.toMillis());
    return config;
  }

  /**
   * Opens a connection with the settings that all connections need. A pooler may reject them, and
   * that should be known before the first job runs. Not done in the pool, which would retry until
   * its timeout.
   */
  void tryOut() {
    Database database = Database.own(single(), settings.schema());
    long millis =
        database.run(
            "use %s".formatted(settings.place()),
            handle ->
                handle
                    .createQuery("select setting from pg_settings where name = 'statement_timeout'")
                    .mapTo(Long.class)
                    .one());
    if (millis != settings.statementTimeout().toMillis()) {
      log.warn(
          "Connections to {} do not have the settings that Holdfast passes in the startup"
              + " parameter 'options': a pooler drops it, or the URL overrides it. Statements may"
              + " hang or be planned badly. Use a URL that bypasses the pooler, or"
              + " PostgresStore.on with a DataSource, which does not need the parameter",
          settings.place());
    }
  }

  /**
   * Returns the connection for heartbeats. A node must be able to send a heartbeat however busy the
   * pool is, and a reply that takes longer than a heartbeat is worth less than another attempt.
   */
  KeptConnection heart() {
    return heart(working(KeptConnection.HEARTBEAT, Duration.ofSeconds(1)));
  }

  static KeptConnection heart(DataSource source) {
    return new KeptConnection(
        "holdfast-heart-connection", source, KeptConnection.HEARTBEAT, LIFETIME);
  }

  /**
   * Returns connections for the migration. They have a long timeout, may be idle while another node
   * migrates, and do not use settings that an unsupported old server would reject before it reports
   * its version.
   */
  DataSource migrating() {
    Properties properties = properties(MIGRATION);
    PGProperty.LOGIN_TIMEOUT.set(properties, (int) CONNECT.toSeconds());
    return new SocketValidatedDataSource(settings.url(), properties);
  }

  private DataSource working(Duration timeout, Duration grace) {
    Properties properties = properties(timeout.plus(grace));
    PGProperty.OPTIONS.set(properties, options(timeout));
    PGProperty.CONNECT_TIMEOUT.set(
        properties, (int) Math.min(CONNECT.toSeconds(), timeout.toSeconds()));
    return new SocketValidatedDataSource(settings.url(), properties);
  }

  private Properties properties(Duration silence) {
    Properties properties = new Properties();
    if (settings.user() != null) {
      PGProperty.USER.set(properties, settings.user());
    }
    if (settings.password() != null) {
      PGProperty.PASSWORD.set(properties, settings.password());
    }
    PGProperty.APPLICATION_NAME.set(properties, session);
    PGProperty.SOCKET_TIMEOUT.set(properties, (int) silence.toSeconds());
    PGProperty.CONNECT_TIMEOUT.set(properties, (int) CONNECT.toSeconds());
    PGProperty.TCP_KEEP_ALIVE.set(properties, true);
    if (cachedStatements != null) {
      PGProperty.PREPARED_STATEMENT_CACHE_QUERIES.set(properties, cachedStatements);
      PGProperty.PREPARE_THRESHOLD.set(properties, SHARED_THRESHOLD);
    }
    return properties;
  }

  /**
   * Returns the timeouts and the planner settings. The hot statements use an index whatever the
   * statistics say: a plan that was cached while the table of live jobs was empty scans the whole
   * table, and would still do so after it has filled (measured; no cost otherwise).
   */
  private static String options(Duration timeout) {
    return "-c statement_timeout=%1$d -c idle_in_transaction_session_timeout=%2$d -c tcp_user_timeout=%2$d"
            .formatted(timeout.toMillis(), ABSENCE.toMillis())
        + " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
        // Before PostgreSQL 18, a disabled path counts as very expensive. Every heartbeat and sweep
        // without another path would then be JIT-compiled.
        + " -c jit=off"
        // A count under a lock needs a snapshot that is newer than the lock, whatever the default
        // is here.
        + " -c default_transaction_isolation=read\\ committed";
  }
}
