package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.KeptConnection;
import dev.holdfast.postgres.notify.PostgresCoordinator;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * The connections that stores of many schemas of one database share.
 *
 * <p>Schemas are divided among small pools. So a connection meets few of them, and keeps their
 * statements prepared; the memory of its server process stays small; and a schema whose statements
 * are slow uses up its own pool only.
 */
public final class SharedConnections implements AutoCloseable {
  /**
   * A server process keeps about 0.18 MB for each prepared statement, so fewer than the default of
   * the driver.
   */
  private static final int CACHED_STATEMENTS = 128;

  /** Enough to share the wait for the disk among commits; fewer would slow down a busy schema. */
  private static final int PER_POOL = 4;

  private final PostgresSettings settings;
  private final Connections connections;
  private final String session;
  private final List<HikariDataSource> pools;
  private final KeptConnection heart;

  private SharedConnections(PostgresSettings settings, Connections connections, String session) {
    this.settings = settings;
    this.connections = connections;
    this.session = session;
    this.pools =
        IntStream.range(0, Math.max(1, settings.poolSize() / PER_POOL))
            .mapToObj(any -> connections.pool())
            .toList();
    this.heart = connections.heart();
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
            Math.min(PER_POOL, settings.poolSize()),
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
   * Returns a schema on one of the pools.
   *
   * @param key determines the pool
   */
  public Database database(int key, String schema) {
    return Database.own(pool(key), schema);
  }

  HikariDataSource pool(int key) {
    return pools.get(Math.floorMod(key, pools.size()));
  }

  /** Returns a schema on the connection for heartbeats, which works however busy the pools are. */
  public Database heart(String schema) {
    return Database.own(heart, schema);
  }

  /** Starts a coordinator on the channel of a schema. */
  public PostgresCoordinator coordinator(String schema) {
    return new PostgresCoordinator(connections.single(), database(0, schema));
  }

  /** Returns a source of connections with long timeouts, for migrations. */
  public DataSource migrating() {
    return connections.migrating();
  }

  /** Returns how the connections of all pools are used. */
  public PoolUse use() {
    return pools.stream().map(PoolUse::of).reduce(PoolUse.NONE, PoolUse::and);
  }

  @Override
  public void close() {
    heart.close();
    pools.forEach(HikariDataSource::close);
  }
}
