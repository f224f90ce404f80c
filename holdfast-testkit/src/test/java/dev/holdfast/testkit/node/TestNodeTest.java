package dev.holdfast.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.RetryLater;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.held.TaskExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** A node that runs jobs only when it is told to, on a store in memory. */
class TestNodeTest {
  record Note(String text) {}

  private static final TaskType<Note, Void> NOTE =
      TaskType.of("test::note", Note.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMinutes(1)).maxAttempts(2)));

  private final List<String> seen = new ArrayList<>();
  private final TestNode node =
      TestNode.inMemory(
          Instant.parse("2026-01-01T00:00:00Z"), builder -> builder.handle(NOTE, this::handle));
  private final Holdfast client = node.client();

  private Void handle(Note note, dev.holdfast.api.task.TaskContext context) {
    seen.add(note.text());
    switch (note.text()) {
      case "fail" -> throw new IllegalStateException("as told");
      case "later" -> throw new RetryLater(Duration.ofMinutes(5), "as told");
      default -> {}
    }
    return null;
  }

  @AfterEach
  void close() {
    node.close();
  }

  private JobState stateOf(JobId id) {
    return client.find(id).orElseThrow().state();
  }

  @Test
  void nothingRunsBeforeTheDrainAndEverythingDueInIt() {
    JobId one = client.enqueue(NOTE, new Note("one")).id();
    JobId two = client.enqueue(NOTE, new Note("two")).id();
    assertThat(seen).isEmpty();

    DrainResult result = node.drain();

    assertThat(seen).containsExactly("one", "two");
    assertThat(result).isEqualTo(new DrainResult(2, 0, 0, List.of()));
    assertThat(stateOf(one)).isEqualTo(JobState.SUCCEEDED);
    assertThat(stateOf(two)).isEqualTo(JobState.SUCCEEDED);
    assertThat(node.drain().attempts()).isZero();
  }
}
