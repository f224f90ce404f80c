package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import javax.sql.DataSource;

/**
 * How the connections of a pool are used.
 *
 * @param waiting how many threads wait for a connection
 * @param most how many connections the pool may have
 */
public record PoolUse(int active, int idle, int waiting, int most) {
  /** A pool that cannot be looked into. */
  public static final PoolUse NONE = new PoolUse(0, 0, 0, 0);

  /** Returns the use of a HikariCP pool; nothing for any other source of connections. */
  public static PoolUse of(DataSource source) {
    if (!(source instanceof HikariDataSource pool)) {
      return NONE;
    }
    HikariPoolMXBean use = pool.getHikariPoolMXBean();
    // A pool that has not opened a connection yet has no bean.
    return use == null
        ? new PoolUse(0, 0, 0, pool.getMaximumPoolSize())
        : new PoolUse(
            use.getActiveConnections(),
            use.getIdleConnections(),
            use.getThreadsAwaitingConnection(),
            pool.getMaximumPoolSize());
  }

  /** Returns both pools together. */
  public PoolUse and(PoolUse other) {
    return new PoolUse(
        active + other.active, idle + other.idle, waiting + other.waiting, most + other.most);
  }
}
