package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node whose connections break, next to a node that would take over. */
class ReconnectTest {
  private static final Duration SOON = Duration.ofSeconds(40);
  private static final TaskType<String, String> ECHO =
      TaskType.of("test::echo", String.class, String.class);
  private static final LivenessSettings LIVENESS =
      LivenessSettings.DEFAULT.with(settings ->
          settings
              .heartbeat(Duration.ofMillis(500))
              .timeout(Duration.ofSeconds(10))
              .sweep(Duration.ofMillis(500)));

  private final PostgresFixture fixture = new PostgresFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aNodeThatReconnectsInTimeKeepsItsClaimsAndFinishesThem() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger starts = new AtomicInteger();
    AtomicInteger elsewhere = new AtomicInteger();
    try (FaultProxy proxy = new FaultProxy(SharedServer.server().port());
        PostgresStore store =
            PostgresStore.connect(
                PostgresSettings.builder(proxy.through(fixture.database().jdbcUrl()))
                    .user(fixture.database().user())
                    .password(fixture.database().password())
                    .build());
        HoldfastNode holder =
            HoldfastNode.on(store)
                .liveness(LIVENESS)
                .handle(
                    ECHO,
                    (text, context) -> {
                      starts.incrementAndGet();
                      end.await();
                      return "token " + context.fencingToken();
                    })
                .start()) {
      Enqueued<String> job = holder.client().enqueue(ECHO, "x");
      await().atMost(SOON).until(() -> starts.get() == 1);
      UUID incarnation = holder.incarnation();
      try (HoldfastNode rival =
          HoldfastNode.on(fixture.store())
              .liveness(LIVENESS)
              .handle(
                  ECHO,
                  (text, context) -> {
                    elsewhere.incrementAndGet();
                    return "elsewhere";
                  })
              .start()) {
        await().atMost(SOON).until(() -> beat(incarnation) > 2);

        // Cut off for several heartbeat intervals, and then the attempt ends.
        proxy.cut();
        long missed = beat(incarnation);
        await()
            .pollDelay(Duration.ofSeconds(3))
            .atMost(SOON)
            .until(() -> beat(incarnation) == missed);
        end.countDown();
        assertThat(holder.held()).isEqualTo(1);
        assertThat(fixture.ask("select state from holdfast.job")).isEqualTo("RUNNING");
        proxy.heal();

        assertThat(rival.client().await(job, SOON)).isEqualTo("token 1");
        await().atMost(SOON).until(() -> beat(incarnation) > missed + 2);
        Job ended = rival.client().find(job.id()).orElseThrow();
        assertThat(ended.attempt()).isEqualTo(1);
        assertThat(ended.failures()).isEmpty();
        assertThat(starts).hasValue(1);
        assertThat(elsewhere).hasValue(0);
        assertThat(holder.incarnation()).isEqualTo(incarnation);
        assertThat(fixture.ask("select count(*) from holdfast.node where state = 'DEAD'"))
            .isEqualTo("0");
      }
    }
  }

  private long beat(UUID incarnation) {
    return Long.parseLong(
        fixture.ask(
            "select beat from holdfast.node where incarnation = '%s'".formatted(incarnation)));
  }
}
