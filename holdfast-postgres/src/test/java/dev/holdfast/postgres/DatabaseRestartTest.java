package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.Page;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseRestartTest {
  private static final int JOBS = 3_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  record Figure(int value) {}

  private static final TaskType<Figure, Void> COUNT = TaskType.of("test::count", Figure.class);

  private final Map<Integer, AtomicInteger> runs = new ConcurrentHashMap<>();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRestartInTheMiddleOfADrainLosesNothing(boolean killed) {
    try (EmbeddedPostgres server = EmbeddedPostgres.temporary().start();
        PostgresStore store =
            PostgresStore.connect(
                PostgresSettings.builder(server.jdbcUrl())
                    .user(server.user())
                    .password(server.password())
                    .build());
        HoldfastNode node =
            HoldfastNode.on(store)
                .queue("default", 20)
                .liveness(settings -> settings.heartbeat(Duration.ofMillis(200)))
                .shutdownGrace(Duration.ZERO)
                .handle(
                    COUNT,
                    (number, context) -> {
                      runs.computeIfAbsent(number.value(), fresh -> new AtomicInteger())
                          .incrementAndGet();
                      return null;
                    })
                .start()) {
      node.client()
          .enqueueAll(
              IntStream.range(0, JOBS).mapToObj(i -> JobRequest.of(COUNT, new Figure(i))).toList());
      await().atMost(PATIENCE).until(() -> runs.size() > JOBS / 20);

      if (killed) {
        server.kill();
      }
      server.restart();

      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() ->
              node.client()
                  .count(JobFilter.all())
                  .byState()
                  .equals(Map.of(JobState.SUCCEEDED, (long) JOBS)));
      assertThat(runs).hasSize(JOBS);
      // Nothing runs twice unless a holder dies: repeats after lost replies are recognised.
      assertThat(runs.values()).allSatisfy(count -> assertThat(count).hasValue(1));
      assertThat(node.client().list(JobFilter.all(), Page.first(1_000)))
          .extracting(Job::attempt)
          .containsOnly(1);
    }
  }
}
