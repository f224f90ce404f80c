package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.KeptConnection;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.postgresql.PGProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes connections as settings say.
 *
 * @param session what the database shows as their name
 */
record Connections(PostgresSettings settings, String session) {
  private static final Logger log = LoggerFactory.getLogger(Connections.class);

  /** How long a migration may take, our own or that of another node which has to be awaited. */
  static final Duration MIGRATION = Duration.ofHours(1);

  /** How much longer the socket waits than the server works: the server's own word is better. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final Duration CONNECT = Duration.ofSeconds(10);

  /**
   * How long any connection is used. An address may lead to another server after a failover; a
   * connection that still works, to a server that nobody writes to any more, would never notice.
   */
  static final Duration LIFETIME = Duration.ofMinutes(30);

  /** How long the pool keeps more than one connection that nothing uses. */
  private static final Duration IDLE = Duration.ofMinutes(2);

  /**
   * How long a client may leave its transaction alone, or what the server sends it unacknowledged.
   * Shorter than any sensible terms, so that the locks of a machine that is gone are free when its
   * jobs are taken back; and longer than our own transactions, which never wait for anything but
   * the server, stand still in a busy process.
   */
  private static final Duration ABSENCE = Duration.ofSeconds(3);

  /** A source of single connections. */
  DataSource single() {
    return working(settings.statementTimeout(), GRACE);
  }

  /** A pool that asks the database nothing of its own accord. */
  HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setPoolName(settings.name() + "-" + settings.schema() + "-pool");
    config.setDataSource(single());
    config.setKeepaliveTime(0);
    // Whether the database is there is asked, and answered in words, by Migrations.
    config.setInitializationFailTimeout(-1);
    config.setMaximumPoolSize(settings.poolSize());
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECT.toMillis());
    // The pool spreads it by a fortieth.
    config.setMaxLifetime(LIFETIME.toMillis());
    config.setIdleTimeout(IDLE.toMillis());
    return new HikariDataSource(config);
  }

  /**
   * Open a connection with the settings that all need: a pooler may reject them, which nobody
   * should learn from the first job. Not in the pool, which would try for as long as it may.
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
          "Connections to {} do not have the settings that Holdfast asks for as the startup"
              + " parameter 'options': a pooler drops it, or the URL has another. Statements may"
              + " hang or be planned badly; use a URL that goes past the pooler, or"
              + " PostgresStore.on with a DataSource, whose connections do without",
          settings.place());
    }
  }

  /**
   * A connection for heartbeats alone. However busy the pool is, a node must be able to say that it
   * lives; and a reply that takes longer than a heartbeat is worth less than another try.
   */
  KeptConnection heart() {
    return heart(working(KeptConnection.HEARTBEAT, Duration.ofSeconds(1)));
  }

  static KeptConnection heart(DataSource source) {
    return new KeptConnection(
        "holdfast-heart-connection", source, KeptConnection.HEARTBEAT, LIFETIME);
  }

  /**
   * Connections to migrate with: patient, idle for as long as another one works, and without
   * settings that a server too old for us would refuse before it has told its version.
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
    return properties;
  }

  /**
   * Besides timeouts, how to plan. The hot statements go by index whatever the statistics say: a
   * plan cached while the table of live jobs was empty reads all of it, and would go on doing so
   * when it has filled (measured; no cost otherwise).
   */
  private static String options(Duration timeout) {
    return "-c statement_timeout=%1$d -c idle_in_transaction_session_timeout=%2$d -c tcp_user_timeout=%2$d"
            .formatted(timeout.toMillis(), ABSENCE.toMillis())
        + " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
        // Before PostgreSQL 18 a path that is switched off counts as very expensive, and each beat
        // and sweep that has no other would be worth compiling.
        + " -c jit=off"
        // What is counted under a lock must be younger than the lock, whatever the default here.
        + " -c default_transaction_isolation=read\\ committed";
  }
}
