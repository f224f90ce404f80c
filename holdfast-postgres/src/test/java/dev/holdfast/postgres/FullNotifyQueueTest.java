package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.engine.client.HoldfastClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The server's notification queue is full because a listening session never reads. */
class FullNotifyQueueTest {
  private static final JobRequest<String, Void> REQUEST =
      JobRequest.of(TaskType.of("mail::send", String.class), "text");

  @Test
  void theTransactionOfTheCallerCommitsAndNodesFallBackToPolling() throws Exception {
    Logger sending = (Logger) LoggerFactory.getLogger("dev.holdfast.postgres.notify.NotifySender");
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    sending.addAppender(logged);
    try (EmbeddedPostgres server =
            EmbeddedPostgres.temporary()
                .setting("max_notify_queue_pages", "64")
                .setting("fsync", "off")
                .setting("shared_buffers", "32MB")
                .start();
        PostgresStore store =
            PostgresStore.connect(
                PostgresSettings.builder(server.jdbcUrl())
                    .user(server.user())
                    .password(server.password())
                    .build());
        HoldfastClient client = HoldfastClient.on(store);
        Connection deaf = connect(server);
        Connection sender = connect(server)) {
      fill(deaf, sender);

      try (Connection caller = connect(server)) {
        caller.setAutoCommit(false);
        client.in(caller).enqueue(REQUEST);
        client.in(caller).publish("order.placed", Map.of("order", 17));
        caller.commit();
      }
      client.enqueue(REQUEST);

      try (Statement statement = sender.createStatement();
          ResultSet row = statement.executeQuery("select count(*) from holdfast.job")) {
        row.next();
        assertThat(row.getInt(1)).isEqualTo(2);
      }
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> logged.list.stream().anyMatch(e -> e.toString().contains("half full")));
    } finally {
      sending.detachAppender(logged);
    }
  }

  private static void fill(Connection deaf, Connection sender) throws SQLException {
    execute(deaf, "listen other");
    deaf.setAutoCommit(false);
    execute(deaf, "select 1");
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1_000; i++) {
                execute(sender, "select pg_notify('other', repeat('x', 7900) || " + i + ")");
              }
            })
        .hasMessageContaining("NOTIFY queue");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Connection connect(EmbeddedPostgres server) throws SQLException {
    return DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
  }
}
