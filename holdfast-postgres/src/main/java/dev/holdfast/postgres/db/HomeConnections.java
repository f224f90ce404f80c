package dev.holdfast.postgres.db;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.statement.Cleanable;

/**
 * The connections of one of many schemas. They come from pools that schemas share, and most of them
 * from the first, the home of the schema: only what the schema does at the same time uses the
 * others. A server process takes milliseconds to load what it needs to know about the tables of a
 * schema, plans each statement for each schema separately and keeps all that in memory. So each
 * should meet few schemas, and each schema few of them.
 */
public final class HomeConnections implements ConnectionFactory {
  private final List<HikariDataSource> pools;
  private final int[] used;
  private final Map<Connection, Integer> borrowed = new ConcurrentHashMap<>();

  /**
   * @param pools in order of preference; at least one
   */
  public HomeConnections(List<HikariDataSource> pools) {
    this.pools = List.copyOf(pools);
    this.used = new int[pools.size()];
  }

  DataSource home() {
    return pools.getFirst();
  }

  /** Returns the first of the pools that this schema uses least. */
  private synchronized int enter() {
    int least = 0;
    for (int i = 1; i < used.length; i++) {
      if (used[i] < used[least]) {
        least = i;
      }
    }
    used[least]++;
    return least;
  }

  private synchronized void leave(int pool) {
    used[pool]--;
  }

  @Override
  public Connection openConnection() throws SQLException {
    int pool = enter();
    try {
      Connection connection = pools.get(pool).getConnection();
      borrowed.put(connection, pool);
      return connection;
    } catch (SQLException | RuntimeException failure) {
      leave(pool);
      throw failure;
    }
  }

  @Override
  public Cleanable getCleanableFor(Connection connection) {
    return () -> giveBack(connection);
  }

  private void giveBack(Connection connection) throws SQLException {
    Integer pool = borrowed.remove(connection);
    try {
      connection.close();
    } finally {
      if (pool != null) {
        leave(pool);
      }
    }
  }

  /** Ensures that none of the connections that are open now is reused. */
  void discardAll(Connection connection) {
    Integer pool = borrowed.get(connection);
    if (pool != null) {
      Discarding.discard(pools.get(pool), connection);
    }
    pools.forEach(any -> any.getHikariPoolMXBean().softEvictConnections());
  }
}
