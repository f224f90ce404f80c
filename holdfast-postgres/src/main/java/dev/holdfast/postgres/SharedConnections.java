package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.HomeConnections;
import dev.holdfast.postgres.db.KeptConnection;
import dev.holdfast.postgres.notify.PostgresCoordinator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * The connections that stores of many schemas of one database share.
 *
 * <p>Each schema has a home connection, and uses others only for what it does at the same time, see
 * {@link HomeConnections}. So a connection meets few schemas, and keeps their statements prepared;
 * the memory of its server process stays small; and a schema whose statements are slow delays few
 * others. What concerns all schemas has its own pool.
 */
public final class SharedConnections implements AutoCloseable {
  /**
   * A server process keeps about 0.18 MB for each prepared statement, so fewer than the default of
   * the driver.
   */
  private static final int CACHED_STATEMENTS = 128;

  /** Enough to share the wait for the disk among commits; fewer would slow down a busy schema. */
  private static final int PER_SCHEMA = 4;

  private static final int SMALLEST_CONTROL = 2;
  private static final int LARGEST_CONTROL = 4;

  private final PostgresSettings settings;
  private final Connections connections;
  private final String session;
  private final HikariDataSource control;
  private final List<HikariDataSource> homes;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("holdfast-pools").factory());
  private final KeptConnection heart;

  private SharedConnections(PostgresSettings settings, Connections connections, String session) {
    this.settings = settings;
    this.connections = connections;
    this.session = session;
    timer.setRemoveOnCancelPolicy(true);
    this.control = connections.pool();
    this.homes =
        IntStream.range(0, Math.max(1, settings.poolSize() - controlSize(settings)))
            .mapToObj(any -> connections.poolOfOne(timer))
            .toList();
    this.heart = connections.heart();
  }

  private static int controlSize(PostgresSettings settings) {
    return Math.clamp(settings.poolSize() / 4, SMALLEST_CONTROL, LARGEST_CONTROL);
  }

  /**
   * Opens connections to a database.
   *
   * @param settings its pool size is the number of connections of all pools together
   * @throws dev.holdfast.api.StoreException if the database cannot be used
   */
  public static SharedConnections open(PostgresSettings settings) {
    String session = settings.name() + "-" + UUID.randomUUID();
    PostgresSettings ofPool =
        new PostgresSettings(
            settings.url(),
            settings.user(),
            settings.password(),
            settings.schema(),
            controlSize(settings),
            settings.statementTimeout(),
            settings.aging(),
            settings.name());
    Connections connections = new Connections(ofPool, session, CACHED_STATEMENTS);
    connections.tryOut();
    return new SharedConnections(settings, connections, session);
  }

  PostgresSettings settings() {
    return settings;
  }

  /** Returns the {@code application_name} of the sessions of this process. */
  public String session() {
    return session;
  }

  /**
   * Returns one of many schemas.
   *
   * @param key determines its home connection
   */
  public Database database(int key, String schema) {
    return Database.own(
        new HomeConnections(
            IntStream.range(0, Math.min(PER_SCHEMA, homes.size()))
                .mapToObj(n -> pool(key + n))
                .toList()),
        schema);
  }

  HikariDataSource pool(int key) {
    return homes.get(Math.floorMod(key, homes.size()));
  }

  /** Returns a schema that concerns all others, on connections that these do not use. */
  public Database control(String schema) {
    return Database.own(control, schema);
  }

  /** Returns a schema on the connection for heartbeats, which works however busy the pools are. */
  public Database heart(String schema) {
    return Database.own(heart, schema);
  }

  /** Starts a coordinator on the channel of a schema. */
  public PostgresCoordinator coordinator(String schema) {
    return new PostgresCoordinator(connections.single(), control(schema));
  }

  /** Returns a source of connections with long timeouts, for migrations. */
  public DataSource migrating() {
    return connections.migrating();
  }

  /** Returns how the connections of all pools are used. */
  public PoolUse use() {
    return homes.stream().map(PoolUse::of).reduce(PoolUse.of(control), PoolUse::and);
  }

  @Override
  public void close() {
    heart.close();
    control.close();
    homes.forEach(HikariDataSource::close);
    timer.shutdownNow();
  }
}
