package dev.holdfast.bench.harness;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.cli.database.Address;
import org.jspecify.annotations.Nullable;

/** The connections of a library that Holdfast is compared with. */
public final class PeerPool {

  private PeerPool() {}

  /** Opens a pool on a schema. */
  public static HikariDataSource of(Address address, String schema, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(address.url());
    set(config, "user", address.user());
    set(config, "password", address.password());
    config.addDataSourceProperty("currentSchema", schema);
    // Peers insert in JDBC batches, and this makes them as fast as possible.
    config.addDataSourceProperty("reWriteBatchedInserts", "true");
    config.setMaximumPoolSize(connections);
    // All peers together would need more connections than servers usually allow.
    config.setMinimumIdle(0);
    return new HikariDataSource(config);
  }

  private static void set(HikariConfig config, String name, @Nullable String value) {
    if (value != null) {
      config.addDataSourceProperty(name, value);
    }
  }
}
