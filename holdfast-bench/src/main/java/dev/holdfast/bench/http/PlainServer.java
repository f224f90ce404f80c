package dev.holdfast.bench.http;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.cli.database.Address;
import io.javalin.Javalin;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/**
 * What a handler with the same web framework would do: insert the body, and return constant JSON.
 */
final class PlainServer implements AutoCloseable {
  private static final String CONSTANT =
      "{\"id\":\"0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e\",\"outcome\":\"CREATED\"}";

  /** As many as a tenant has. */
  private static final int CONNECTIONS = 4;

  private final HikariDataSource pool = new HikariDataSource();
  private final String insert;
  private final Javalin javalin;

  /**
   * @param table a table with an id and a payload
   */
  PlainServer(BenchServer server, String table) {
    Address address = server.address();
    insert = "insert into %s (id, payload) values (?, ?)".formatted(table);
    pool.setJdbcUrl(address.url());
    pool.setUsername(address.user());
    pool.setPassword(address.password());
    pool.setMaximumPoolSize(CONNECTIONS);
    javalin =
        Javalin.create(
                config -> {
                  config.concurrency.useVirtualThreads = true;
                  config.startup.showJavalinBanner = false;
                  config.startup.showOldJavalinVersionWarning = false;
                  config.startup.startupWatcherEnabled = false;
                  config.routes.post(
                      "/jobs",
                      context -> {
                        insert(context.body());
                        context.status(201).contentType("application/json").result(CONSTANT);
                      });
                })
            .start("127.0.0.1", 0);
  }

  private void insert(String payload) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setObject(1, UUID.randomUUID());
      statement.setString(2, payload);
      statement.executeUpdate();
    }
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + javalin.port());
  }

  @Override
  public void close() {
    javalin.stop();
    pool.close();
  }
}
