package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.AwaitTimeoutException;
import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.client.HoldfastClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** How the types of tasks carry over to handlers, enqueues and results. */
public abstract class TypedClientContract extends NodeTestBase {
  private static final TaskType<Note, Void> REMEMBER = TaskType.of("test::remember", Note.class);

  private static final TaskType<List<Note>, Map<String, Integer>> COUNT =
      TaskType.of(
          "test::count", new TypeRef<List<Note>>() {}, new TypeRef<Map<String, Integer>>() {});

  @Test
  void aHandlerOfATaskWithoutAResultReturnsNothing() throws InterruptedException {
    List<String> seen = new CopyOnWriteArrayList<>();
    VoidTaskHandler<Note> named = (note, context) -> seen.add(note.text());
    start(node().handle(REMEMBER, named).handle(ECHO, (note, context) -> note.text()));

    Enqueued<Void> job = client().enqueue(REMEMBER, new Note("x"));

    assertThat(client().await(job, SOON)).isNull();
    assertThat(seen).containsExactly("x");
  }

  @Test
  void aVoidHandlerMayBeAStatementOrABlock() throws InterruptedException {
    List<String> seen = new CopyOnWriteArrayList<>();
    TaskType<Note, Void> second = TaskType.of("test::second", Note.class);
    start(
        node()
            .handle(REMEMBER, (note, context) -> seen.add(note.text()))
            .handle(
                second,
                (note, context) -> {
                  seen.add(note.text());
                }));

    client().await(client().enqueue(REMEMBER, new Note("a")), SOON);
    client().await(client().enqueue(second, new Note("b")), SOON);

    assertThat(seen).containsExactly("a", "b");
  }

  @Test
  void payloadAndResultMayBeGeneric() throws InterruptedException {
    start(
        node()
            .handle(
                COUNT,
                (notes, context) -> {
                  Note first = notes.getFirst(); // Would be a map if only the raw type were known.
                  return Map.of(first.text(), notes.size());
                }));

    var job = client().enqueue(COUNT, List.of(new Note("x"), new Note("y")));

    assertThat(client().await(job, SOON)).isEqualTo(Map.of("x", 2));
    assertThat(client().await(job.id(), COUNT.result(), SOON)).containsEntry("x", 2);
  }

  @Test
  void aBulkEnqueueReturnsTypedResultsInOrder() throws InterruptedException {
    start(node().handle(ECHO, (note, context) -> note.text()));

    List<Enqueued<String>> jobs =
        client()
            .enqueueAll(
                ECHO,
                List.of(new Note("a"), new Note("b"), new Note("c")),
                job -> job.tags("bulk"));

    List<String> results = new ArrayList<>();
    for (Enqueued<String> job : jobs) {
      results.add(client().await(job, SOON));
    }
    assertThat(results).containsExactly("a", "b", "c");
    assertThat(client().find(jobs.get(1).id()).orElseThrow().tags()).containsExactly("bulk");
    assertThat(client().enqueueAll(ECHO, List.of())).isEmpty();
  }

  @Test
  void aStageCompletesWithTheResult() {
    var job = client().enqueue(ECHO, new Note("x"));
    var stage = client().awaitAsync(job, SOON).thenApply(text -> text + "!").toCompletableFuture();
    assertThat(stage).isNotDone();

    start(node().handle(ECHO, (note, context) -> note.text()));

    assertThat(stage).succeedsWithin(SOON).isEqualTo("x!");
  }

  @Test
  void aStageFailsAsAwaitDoes() {
    TaskType<Note, String> failing =
        ECHO.with(job -> job.retry(RetryPolicy.DEFAULT.maxAttempts(1)));
    start(
        node()
            .handle(
                failing,
                (note, context) -> {
                  throw new IllegalStateException("no");
                }));

    var failed = client().awaitAsync(client().enqueue(failing, new Note("x")), SOON);
    assertThat(failed)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            JobFailedException.class,
            failure -> assertThat(failure.job().state()).isEqualTo(JobState.FAILED));

    var late =
        client()
            .awaitAsync(client().enqueue(REMEMBER, new Note("never runs")), Duration.ofMillis(1));
    assertThat(late)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(AwaitTimeoutException.class);
  }

  @Test
  void closingTheClientEndsItsStages() {
    Holdfast other = HoldfastClient.on(store());
    var stage =
        other
            .awaitAsync(other.enqueue(ECHO, new Note("x")), Duration.ofHours(1))
            .toCompletableFuture();

    other.close();

    assertThat(stage)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOf(CancellationException.class)
        .withMessageContaining("closed");
  }

  @Test
  void controlMethodsReportWhetherTheirTargetExists() {
    assertThat(client().queues().find("default")).isEmpty();
    assertThat(client().queues().pause("default")).as("not known yet").isFalse();
    assertThat(client().queues().find("default").orElseThrow().paused()).isTrue();
    assertThat(client().queues().resume("default")).isTrue();
    assertThat(client().queues().unlimit("default")).isFalse();
    client().queues().limit("default", 5);
    assertThat(client().queues().unlimit("default")).isTrue();

    assertThat(client().tasks().find(ECHO.name())).isEmpty();
    assertThat(client().tasks().unlimit(ECHO.name())).isFalse();
    client().tasks().limit(ECHO.name(), 5);
    assertThat(client().tasks().find(ECHO.name()).orElseThrow().limit()).isEqualTo(5);
    assertThat(client().tasks().unlimit(ECHO.name())).isTrue();

    assertThat(client().schedules().cancel("nightly")).isFalse();
    assertThat(client().schedules().pause("nightly")).isFalse();

    assertThat(client().nodes().find("one")).isEmpty();
    start(node().id("one").handle(ECHO, (note, context) -> note.text()));
    assertThat(client().nodes().find("one").orElseThrow().alive()).isTrue();
  }
}
