package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Page;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Flow;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.Source;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.NodeBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Maps and the rules of steps that depend on them, on nodes. */
public abstract class MapRulesContract extends RunTestBase {
  private static final TypeRef<List<Integer>> NUMBERS = new TypeRef<>() {};

  /** Fails for even numbers. */
  private static final TaskType<Integer, Integer> ODD =
      TaskType.of("maps::odd", Integer.class, Integer.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(1)));

  /** Returns ten times the number, when it is released. */
  private static final TaskType<Integer, Integer> HELD =
      TaskType.of("maps::held", Integer.class, Integer.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(1)));

  private final Map<Integer, CountDownLatch> gates = new ConcurrentHashMap<>();

  @Override
  protected NodeBuilder worker() {
    return super.worker()
        .handle(
            ODD,
            (number, context) -> {
              log.add("odd " + number);
              if (number % 2 == 0) {
                throw new IllegalStateException(number + " is even");
              }
              return number;
            })
        .handle(
            HELD,
            (number, context) -> {
              log.add("held " + number);
              gate(number).await();
              if (number < 0) {
                throw new IllegalStateException(number + " is negative");
              }
              return number * 10;
            });
  }

  private CountDownLatch gate(int number) {
    return gates.computeIfAbsent(number, key -> new CountDownLatch(1));
  }

  private static Source<Note> text(Flow<?> flow, String text) {
    return flow.constant(new Note(text), TypeRef.of(Note.class));
  }

  private static Workflow<List<Integer>, Void> flow(
      String name, Consumer<Flow<List<Integer>>> graph) {
    return Workflow.define("test::" + name, NUMBERS, graph);
  }

  private RunId started(Workflow<List<Integer>, Void> workflow, Integer... input) {
    return client().runs().start(workflow, List.of(input)).id();
  }

  @Test
  void everyRuleSeesAMapWithPartialFailuresAsOneFailedStep() {
    Workflow<List<Integer>, Void> workflow =
        flow(
            "map-rules",
            f -> {
              Step<List<Integer>> map = f.map("map", ODD, f.input()).onError(OnError.CONTINUE);
              Step<Note> fine = f.step("fine", SAY, text(f, "fine"));
              f.step("all-succeeded", SAY, text(f, "a")).after(map, fine);
              f.step("any-succeeded", SAY, text(f, "b")).after(map, fine).when(Rule.anySucceeded());
              f.step("quorum-1", SAY, text(f, "c")).after(map, fine).when(Rule.quorum(1));
              f.step("quorum-2", SAY, text(f, "d")).after(map, fine).when(Rule.quorum(2));
              f.step("none-failed", SAY, text(f, "e")).after(map, fine).when(Rule.noneFailed());
              f.step("any-failed", SAY, text(f, "f")).after(map, fine).when(Rule.anyFailed());
              f.step("all-done", SAY, text(f, "g")).after(map, fine).when(Rule.allDone());
              f.step("succeeded", SAY, text(f, "h")).after(map).when(Rule.succeeded(map));
              f.step("failed", SAY, text(f, "i")).after(map).when(Rule.failed(map));
              f.step("not-succeeded", SAY, text(f, "j"))
                  .after(map)
                  .when(Rule.none(Rule.succeeded(map)));
            });
    start(worker());

    Run run = awaitRun(started(workflow, 1, 2, 3), RunState.SUCCEEDED);

    assertThat(stateOf(run, "map")).isEqualTo(StepState.FAILED);
    assertThat(step(run, "map").map().orElseThrow().failed()).isEqualTo(1);
    assertThat(namesIn(run, StepState.SKIPPED))
        .containsExactly("all-succeeded", "quorum-2", "none-failed", "succeeded");
    assertThat(namesIn(run, StepState.SUCCEEDED))
        .containsExactly(
            "fine",
            "any-succeeded",
            "quorum-1",
            "any-failed",
            "all-done",
            "failed",
            "not-succeeded");
  }

  private static List<String> namesIn(Run run, StepState state) {
    return run.steps().stream().filter(step -> step.state() == state).map(RunStep::name).toList();
  }

  @Test
  void aMapThatToleratesItsFailuresHasSucceeded() {
    Workflow<List<Integer>, Void> workflow =
        flow(
            "map-tolerant",
            f -> {
              Step<List<Integer>> map =
                  f.map("map", ODD, f.input()).tolerateFailures(2).onError(OnError.CONTINUE);
              f.step("next", SAY, text(f, "next")).after(map);
              f.step("any-failed", SAY, text(f, "x")).after(map).when(Rule.anyFailed());
            });
    start(worker());

    Run run = awaitRun(started(workflow, 1, 2, 3, 4, 5), RunState.SUCCEEDED);

    assertThat(stateOf(run, "map")).isEqualTo(StepState.SUCCEEDED);
    assertThat(step(run, "map").map()).hasValue(new RunStep.MapProgress(5, 3, 2, 0));
    assertThat(stateOf(run, "next")).isEqualTo(StepState.SUCCEEDED);
    assertThat(stateOf(run, "any-failed")).isEqualTo(StepState.SKIPPED);
  }

  /** A map over the output of a step that is skipped or fails, by default and with another rule. */
  private static Workflow<List<Integer>, Void> mapsOver(
      String name, Function<Flow<List<Integer>>, Step<List<Integer>>> source) {
    return flow(
        name,
        f -> {
          Step<List<Integer>> list = source.apply(f);
          Step<List<Integer>> plain = f.map("plain", ODD, list).onError(OnError.CONTINUE);
          Step<List<Integer>> forced =
              f.map("forced", ODD, list).onError(OnError.CONTINUE).when(Rule.allDone());
          f.step("after-plain", SAY, text(f, "p")).after(plain).when(Rule.noneFailed());
          f.step("after-forced", SAY, text(f, "q")).after(forced).when(Rule.failed(forced));
        });
  }

  private void assertForcedMapFailed(Run run) {
    assertThat(stateOf(run, "plain")).isEqualTo(StepState.SKIPPED);
    assertThat(stateOf(run, "after-plain")).isEqualTo(StepState.SUCCEEDED);
    assertThat(stateOf(run, "forced")).isEqualTo(StepState.FAILED);
    assertThat(step(run, "forced").failure().orElseThrow()).contains("NOT_A_LIST");
    assertThat(stateOf(run, "after-forced")).isEqualTo(StepState.SUCCEEDED);
    assertThat(log).containsExactlyInAnyOrder("p", "q");
  }

  private static final TaskType<List<Integer>, List<Integer>> LIST =
      TaskType.of("maps::list", NUMBERS, NUMBERS)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(1)));

  @Test
  void aMapOverAFailedStepIsSkippedOrFailsButNeverRuns() {
    start(
        worker()
            .handle(
                LIST,
                (list, context) -> {
                  throw new IllegalStateException("no list");
                }));

    assertForcedMapFailed(
        awaitRun(
            started(
                mapsOver(
                    "map-failed", f -> f.step("list", LIST, f.input()).onError(OnError.CONTINUE)),
                1),
            RunState.SUCCEEDED));
  }

  @Test
  void aMapOverASkippedStepIsSkippedOrFailsButNeverRuns() {
    start(
        worker()
            .handle(
                LIST,
                (list, context) -> {
                  if (list.isEmpty()) {
                    throw new IllegalStateException("empty");
                  }
                  return list;
                }));

    assertForcedMapFailed(
        awaitRun(
            started(
                mapsOver(
                    "map-skipped",
                    f -> {
                      Step<List<Integer>> first =
                          f.step("first", LIST, f.input()).onError(OnError.CONTINUE);
                      return f.step("list", LIST, first).when(Rule.failed(first));
                    }),
                1),
            RunState.SUCCEEDED));
  }

  @Test
  void aRetryOfARunRepeatsNeitherItsEmptyMapNorItsFinishedOne() {
    broken.add("end");
    Workflow<List<Integer>, Void> workflow =
        flow(
            "map-retried",
            f -> {
              Step<List<Integer>> empty = f.map("empty", ODD, f.constant(List.of(), NUMBERS));
              Step<List<Integer>> full = f.map("full", ODD, f.input());
              f.step("end", SAY, text(f, "end")).after(empty, full);
            });
    start(worker());
    RunId id = started(workflow, 1, 3);
    awaitRun(id, RunState.FAILED);
    broken.clear();

    client().runs().retry(id);

    Run run = awaitRun(id, RunState.SUCCEEDED);
    assertThat(step(run, "empty").output()).hasValue("[]");
    assertThat(log).containsExactlyInAnyOrder("odd 1", "odd 3", "end", "end", "end");
  }

  @Test
  void dependentsOfAMapAreEvaluatedOnlyAfterItsLastChildHasEnded() throws Exception {
    Workflow<List<Integer>, Void> workflow =
        flow(
            "map-late",
            f -> {
              Step<List<Integer>> map =
                  f.map("map", HELD, f.input()).tolerateFailures(1).onError(OnError.CONTINUE);
              f.step("rescue", SAY, text(f, "rescue")).after(map).when(Rule.anyFailed());
              f.step("skip", SAY, text(f, "skip")).after(map);
            });
    start(worker());
    RunId id = started(workflow, -1, 2, -3);

    gate(-1).countDown();
    gate(2).countDown();
    await()
        .atMost(SOON)
        .until(() ->
            step(run(id), "map").map().orElseThrow().equals(new RunStep.MapProgress(3, 1, 1, 0)));
    Run open = run(id);

    assertThat(stateOf(open, "map")).isEqualTo(StepState.ACTIVE);
    assertThat(stateOf(open, "rescue")).isEqualTo(StepState.PENDING);
    assertThat(stateOf(open, "skip")).isEqualTo(StepState.PENDING);
    gate(-3).countDown();
    Run run = awaitRun(id, RunState.SUCCEEDED);
    assertThat(stateOf(run, "rescue")).isEqualTo(StepState.SUCCEEDED);
    assertThat(stateOf(run, "skip")).isEqualTo(StepState.SKIPPED);
  }

  @Test
  void theOrderInWhichTheChildrenOfAMapEndChangesNothing() throws Exception {
    Workflow<List<Integer>, List<Integer>> workflow =
        Workflow.defineWithResult("test::map-order", NUMBERS, f -> f.map("map", HELD, f.input()));
    start(worker());
    for (List<Integer> order : List.of(List.of(1, 2, 3, 4), List.of(4, 2, 3, 1))) {
      gates.clear();
      var started = client().runs().start(workflow, List.of(1, 2, 3, 4));
      int ended = 0;
      for (int number : order) {
        gate(number).countDown();
        int expected = ++ended;
        await()
            .atMost(SOON)
            .until(
                () -> step(run(started.id()), "map").map().orElseThrow().succeeded() == expected);
      }

      assertThat(client().runs().await(started, SOON)).containsExactly(10, 20, 30, 40);
    }
  }

  @Test
  void aMapThatTakesTooLongFailsAndItsChildrenAreStopped() {
    Workflow<List<Integer>, Void> workflow =
        flow(
            "map-timeout",
            f -> {
              Step<List<Integer>> map =
                  f.map("map", HELD, f.input()).within(Duration.ofMillis(300));
              f.step("next", SAY, text(f, "next")).after(map);
            });
    start(worker());

    Run run = awaitRun(started(workflow, 1, 2), RunState.FAILED);

    assertThat(step(run, "map").failure().orElseThrow()).contains("TIMED_OUT");
    assertThat(stateOf(run, "next")).isEqualTo(StepState.SKIPPED);
    await()
        .atMost(SOON)
        .until(() ->
            client().list(JobFilter.all().task(HELD.name()), Page.first(10)).stream()
                .allMatch(job -> job.state().hasEnded()));
    assertThat(log).doesNotContain("next");
  }
}
