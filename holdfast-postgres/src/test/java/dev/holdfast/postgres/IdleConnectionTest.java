package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Connections that a firewall has forgotten: everything sent on them is dropped, and their sockets
 * look open.
 */
class IdleConnectionTest {
  private TestDatabase database;
  private FaultProxy proxy;

  @BeforeEach
  void open() {
    database = SharedServer.freshDatabase();
    proxy = new FaultProxy(SharedServer.server().port());
  }

  @AfterEach
  void close() throws Exception {
    proxy.close();
    database.close();
  }

  @Test
  void aForgottenConnectionCausesAShortDelayInsteadOfTheSocketTimeout() throws Exception {
    try (HikariDataSource pool = pool(Duration.ofMillis(600))) {
      List<Connection> three =
          List.of(pool.getConnection(), pool.getConnection(), pool.getConnection());
      for (Connection connection : three) {
        connection.close();
      }
      proxy.forgetConnections();
      // The pool validates connections that have not been used for half a second.
      Thread.sleep(700);

      long start = System.nanoTime();
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("select 1");
      }

      // Three validations of a second each, instead of 40 s for the first statement.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
      assertThat(proxy.accepted()).isGreaterThanOrEqualTo(4);
    }
  }

  @Test
  void aRecentlyUsedConnectionIsNotValidated() throws SQLException {
    try (Connection connection = source(Duration.ofMinutes(1)).getConnection()) {
      proxy.forgetConnections();

      assertThat(connection.isValid(1)).isTrue();
    }
  }

  @Test
  void aLongIdleConnectionIsValidated() throws SQLException {
    try (Connection connection = source(Duration.ZERO).getConnection()) {
      assertThat(connection.isValid(1)).isTrue();
      proxy.forgetConnections();

      assertThat(connection.isValid(1)).isFalse();
    }
  }

  private HikariDataSource pool(Duration trusted) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source(trusted));
    config.setMinimumIdle(0);
    config.setMaximumPoolSize(3);
    return new HikariDataSource(config);
  }

  private SocketValidatedDataSource source(Duration trusted) {
    Properties properties = new Properties();
    properties.setProperty("user", database.user());
    properties.setProperty("password", database.password());
    properties.setProperty("socketTimeout", "40");
    return new SocketValidatedDataSource(proxy.through(database.jdbcUrl()), properties, trusted);
  }
}
