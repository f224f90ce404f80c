package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.notify.ClusterCoordinator;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With an external coordinator, the coordinator of the store is not started. */
class OwnCoordinatorTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final TaskType<String, String> ECHO =
      TaskType.of("test::echo", String.class, String.class);

  private final PostgresFixture fixture = new PostgresFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private long listening() throws SQLException {
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                select count(*) from pg_stat_activity
                where datname = current_database() and query ilike 'listen %'
                """)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void nodesAndClientsWithAnExternalCoordinatorDoNotListenOnTheDatabase() throws Exception {
    ClusterCoordinator own = ClusterCoordinator.none();
    try (HoldfastNode node =
            HoldfastNode.on(fixture.store())
                .coordinator(own)
                .poll(Duration.ofMinutes(5), Duration.ofMinutes(5))
                .handle(ECHO, (text, context) -> text)
                .start();
        HoldfastClient client =
            HoldfastClient.on(fixture.store(), new JsonCodec(), ClientSettings.DEFAULT, own)) {
      assertThat(client.await(client.enqueue(ECHO, "woken"), SOON)).isEqualTo("woken");
      assertThat(node.isReady()).isTrue();
      assertThat(listening()).isZero();
    }
  }

  @Test
  void otherNodesListenOnTheDatabase() {
    try (HoldfastNode node = HoldfastNode.on(fixture.store()).start()) {
      await().atMost(SOON).until(() -> node.isReady() && listening() == 1);
    }
  }
}
