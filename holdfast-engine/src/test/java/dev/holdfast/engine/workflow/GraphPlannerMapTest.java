package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How runs with maps and child workflows continue, one fact each. */
class GraphPlannerMapTest {
  private static GraphSketch sketch() {
    return new GraphSketch();
  }

  private static String list(int size) {
    return IntStream.range(0, size)
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(",", "[", "]"));
  }

  @Test
  void aMapRunsAJobForEachElementAndReturnsTheirResultsInOrder() {
    FakeRun run =
        FakeRun.of(sketch().task("a").map("m", 0, 0, "a").result(new Input.Output(1, null)), null);
    run.succeed("a", "[{\"n\":1}, 2]");
    assertThat(run.jobs)
        .containsEntry(new FakeRun.Open(1, 0), "{\"n\":1}")
        .containsEntry(new FakeRun.Open(1, 1), "2");
    run.succeedItem("m", 1, "\"two\"").succeedItem("m", 0, "\"one\"");
    assertThat(run.last.result()).isEqualTo("[\"one\",\"two\"]");
  }

  @Test
  void aMapOverAnEmptyListSucceedsWithAnEmptyList() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", "[]", 0, 0).task("b", "m"), null);
    assertThat(run.steps).isEqualTo("SA");
    assertThat(run.results.get(0).output()).isEqualTo("[]");
    assertThat(run.jobs.get(new FakeRun.Open(1, -1))).contains("\"m\":[]");
  }

  @Test
  void aMapOverASkippedOrFailedStepFailsIfItsRuleLetsItRun() {
    for (Rule rule : List.of(Rule.allDone(), Rule.anyFailed())) {
      FakeRun run =
          FakeRun.of(
              sketch().task("a").onError(OnError.CONTINUE).map("m", 0, 0, "a").when(rule), null);
      run.fail("a");
      assertThat(run.steps).isEqualTo("FF");
      assertThat(run.results.get(1).failure().code()).isEqualTo("NOT_A_LIST");
    }
    FakeRun skipped =
        FakeRun.of(
            sketch()
                .task("x")
                .onError(OnError.CONTINUE)
                .task("a", "x")
                .map("m", 0, 0, "a")
                .when(Rule.allDone()),
            null);
    assertThat(skipped.fail("x").steps).isEqualTo("FKF");
  }

  @Test
  void aMapOverAFailedStepIsSkippedByDefault() {
    FakeRun run =
        FakeRun.of(sketch().task("a").onError(OnError.CONTINUE).map("m", 0, 0, "a"), null);
    assertThat(run.fail("a").steps).isEqualTo("FK");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aMapOverSomethingElseThanAListFails() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", "{\"a\":1}", 0, 0), null);
    assertThat(run.reason).contains("NOT_A_LIST").contains("step 'm'");
  }

  @Test
  void aMapOverTooManyElementsFails() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", list(10_001), 0, 0), null);
    assertThat(run.reason)
        .contains("MAP_TOO_LARGE", "divide the list among several maps or child workflows");
    assertThat(FakeRun.of(sketch().mapOver("m", list(10_000), 0, 0), null).steps).isEqualTo("A");
  }

  static Stream<Arguments> rulesOverAMap() {
    return Stream.of(
        Arguments.of(Rule.allSucceeded(), true, false),
        Arguments.of(Rule.anySucceeded(), true, false),
        Arguments.of(Rule.allDone(), true, true),
        Arguments.of(Rule.noneFailed(), true, false),
        Arguments.of(Rule.anyFailed(), false, true),
        Arguments.of(Rule.quorum(1), true, false),
        Arguments.of(Rule.quorum(2), false, false),
        Arguments.of(new Rule.Ended("m", Rule.Outcome.SUCCEEDED), true, false),
        Arguments.of(new Rule.Ended("m", Rule.Outcome.FAILED), false, true),
        Arguments.of(new Rule.Ended("m", Rule.Outcome.SKIPPED), false, false),
        Arguments.of(Rule.context(Condition.field("m").exists()), true, false),
        Arguments.of(Rule.all(Rule.allDone(), Rule.anyFailed()), false, true),
        Arguments.of(Rule.any(Rule.anySucceeded(), Rule.anyFailed()), true, true),
        Arguments.of(Rule.none(Rule.anySucceeded()), false, true));
  }

  @ParameterizedTest
  @MethodSource("rulesOverAMap")
  void aRuleSeesAMapAsOneDependencyThatEndsWithItsLastJob(
      Rule rule, boolean afterSuccess, boolean afterFailure) {
    for (boolean success : List.of(true, false)) {
      FakeRun run =
          FakeRun.of(
              sketch()
                  .mapOver("m", "[1,2]", 0, 0)
                  .onError(OnError.CONTINUE)
                  .task("b", "m")
                  .when(rule),
              null);
      run.succeedItem("m", 0, "1");
      assertThat(run.steps).isEqualTo("A.");
      if (success) {
        run.succeedItem("m", 1, "2");
      } else {
        run.failItem("m", 1);
      }
      assertThat(run.steps)
          .isEqualTo((success ? "S" : "F") + ((success ? afterSuccess : afterFailure) ? "A" : "K"));
    }
  }

  @Test
  void dependentsOfAFailingMapWaitUntilAllItsJobsHaveEnded() {
    FakeRun run =
        FakeRun.of(
            sketch()
                .mapOver("m", "[1,2,3]", 0, 0)
                .onError(OnError.CONTINUE)
                .task("b", "m")
                .when(Rule.anyFailed()),
            null);
    run.end(new FakeRun.Open(0, 0), StepState.FAILED, null);
    RunPlan plan = run.advanceOnce();
    assertThat(plan.steps()).isEqualTo("A.");
    assertThat(plan.stopped()).containsExactly(0);
    run.advance();
    assertThat(run.steps).isEqualTo("FA");
  }

  @Test
  void aMapToleratesAsManyFailuresAsItSays() {
    GraphSketch sketch = sketch().mapOver("m", "[1,2,3]", 0, 1).result(new Input.Output(0, null));
    FakeRun run = FakeRun.of(sketch, null);
    run.failItem("m", 1);
    assertThat(run.last.stopped()).isEmpty();
    run.succeedItem("m", 0, "1").succeedItem("m", 2, "3");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
    assertThat(run.last.result()).isEqualTo("[1,null,3]");
    FakeRun failed = FakeRun.of(sketch, null).failItem("m", 0).failItem("m", 2);
    assertThat(failed.state).isEqualTo(RunState.FAILED);
    assertThat(failed.reason).contains("MAP_FAILED");
  }

  @Test
  void aLimitedMapKeepsThatNumberOfJobs() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", list(5), 2, 0), null);
    assertThat(run.jobs.keySet()).containsExactly(new FakeRun.Open(0, 0), new FakeRun.Open(0, 1));
    run.succeedItem("m", 0, "0");
    assertThat(run.jobs.keySet()).containsExactly(new FakeRun.Open(0, 1), new FakeRun.Open(0, 2));
    run.end(new FakeRun.Open(0, 1), StepState.SUCCEEDED, "1");
    run.succeedItem("m", 2, "2");
    assertThat(run.jobs.keySet()).containsExactly(new FakeRun.Open(0, 3), new FakeRun.Open(0, 4));
    run.succeedItem("m", 3, "3").succeedItem("m", 4, "4");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aMapWithoutALimitIsRefilledWhenHalfOfItsJobsHaveEnded() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", list(5_000), 0, 0), null);
    assertThat(run.jobs).hasSize(2_000);
    for (int item = 0; item < 999; item++) {
      run.end(new FakeRun.Open(0, item), StepState.SUCCEEDED, "0");
    }
    run.advance();
    assertThat(run.jobs).hasSize(1_001);
    run.succeedItem("m", 999, "0");
    assertThat(run.jobs).hasSize(2_000);
    assertThat(run.maps.get(0).inserted()).isEqualTo(3_000);
  }

  @Test
  void aPausedMapIsNotRefilled() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", list(3), 1, 0), null);
    run.pause().succeedItem("m", 0, "0");
    assertThat(run.jobs).isEmpty();
    run.resume().advance();
    assertThat(run.jobs).hasSize(1);
  }

  @Test
  void aMapWithTooManyFailuresIsNotRefilled() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", list(5), 1, 0).onError(OnError.CONTINUE), null);
    run.failItem("m", 0);
    assertThat(run.steps).isEqualTo("F");
    assertThat(run.maps.get(0).inserted()).isEqualTo(1);
  }

  @Test
  void aMapWhoseOutputsAreTooLargeIsStoppedAndFailsWhenItsJobsHaveEnded() {
    FakeRun run =
        FakeRun.of(
            sketch()
                .mapOver("m", list(5), 3, 3)
                .onError(OnError.CONTINUE)
                .task("b", "m")
                .when(Rule.anyFailed()),
            null);
    run.bytes = SizeLimit.MOST_BYTES;
    run.succeedItem("m", 0, "0");
    assertThat(run.maps.get(0).inserted()).as("the limit itself is allowed").isEqualTo(4);
    run.bytes = SizeLimit.MOST_BYTES + 1;
    run.end(new FakeRun.Open(0, 1), StepState.SUCCEEDED, "1");

    RunPlan plan = run.advanceOnce();
    assertThat(plan.steps()).isEqualTo("A.");
    assertThat(plan.stopped()).containsExactly(0);
    assertThat(plan.jobs()).isEmpty();
    run.advance();
    assertThat(run.steps).isEqualTo("FA");
    assertThat(run.results.get(0).failure().describe())
        .startsWith("RUN_TOO_LARGE")
        .contains("step 'm'", String.valueOf(SizeLimit.MOST_BYTES + 1));
  }

  @Test
  void aMapWhoseLastOutputIsTooLargeFails() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", "[1]", 0, 0), null);
    run.bytes = SizeLimit.MOST_BYTES + 1;
    run.succeedItem("m", 0, "0");
    assertThat(run.state).isEqualTo(RunState.FAILED);
    assertThat(run.reason).contains("RUN_TOO_LARGE");
  }

  @Test
  void aPlanIsLimitedInSizeAndContinued() {
    GraphSketch sketch = sketch();
    for (int i = 0; i < 4; i++) {
      sketch.mapOver("m" + i, list(700), 0, 0);
    }
    FakeRun run = FakeRun.of(sketch.task("last"), null);
    assertThat(run.last.jobs()).hasSize(2_000);
    assertThat(run.last.more()).isTrue();
    run.advance();
    assertThat(run.steps).isEqualTo("AAAAA");
  }

  @Test
  void retryingAnEmptyMapRepeatsNothing() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", "[]", 0, 0).task("b", "m"), null);
    run.fail("b").retry();
    assertThat(run.steps).isEqualTo("SA");
    run.succeed("b", null);
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void retryingAMapRepeatsOnlyWhatFailed() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", "[1,2,3]", 0, 0), null);
    run.succeedItem("m", 0, "1").failItem("m", 1);
    assertThat(run.state).isEqualTo(RunState.FAILED);
    run.retry();
    assertThat(run.jobs.keySet()).containsExactly(new FakeRun.Open(0, 1), new FakeRun.Open(0, 2));
    run.succeedItem("m", 1, "2").succeedItem("m", 2, "3");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aRetriedMapWaitsForAStepThatWasUndone() {
    FakeRun run = FakeRun.of(sketch().task("a").compensated().map("m", 0, 0, "a"), null);
    run.succeed("a", "[1,2]").succeedItem("m", 0, "1").failItem("m", 1);
    run.succeed("undo:a", null);
    assertThat(run.state).isEqualTo(RunState.FAILED);
    run.retry();
    assertThat(run.steps).isEqualTo("A..");
    run.succeed("a", "[3]").succeedItem("m", 0, "3");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void theTimeoutOfAMapFailsItAndStopsItsJobs() {
    FakeRun run =
        FakeRun.of(
            sketch()
                .mapOver("m", list(3), 0, 0)
                .within(Duration.ofMinutes(1))
                .onError(OnError.CONTINUE),
            null);
    run.fire(RunMark.Kind.TIMED_OUT, "m");
    assertThat(run.steps).isEqualTo("F");
    assertThat(run.results.get(0).failure().code()).isEqualTo("TIMED_OUT");
    assertThat(run.jobs).isEmpty();
  }

  @Test
  void theOrderInWhichTheJobsOfAMapEndChangesNothing() {
    List<String> results = new ArrayList<>();
    for (int seed = 0; seed < 20; seed++) {
      FakeRun run =
          FakeRun.of(
              sketch().mapOver("m", list(9), 4, 2).task("b", "m").result(new Input.Output(0, null)),
              null);
      Random random = new Random(seed);
      while (run.steps.charAt(0) == 'A') {
        List<FakeRun.Open> open = new ArrayList<>(run.jobs.keySet());
        Collections.shuffle(open, random);
        for (FakeRun.Open job : open.subList(0, 1 + random.nextInt(open.size()))) {
          boolean fails = job.item() % 5 == 1;
          run.end(
              job,
              fails ? StepState.FAILED : StepState.SUCCEEDED,
              fails ? null : "\"r%d\"".formatted(job.item()));
        }
        run.advance();
      }
      run.succeed("b", null);
      results.add(run.steps + run.payloads.get(new FakeRun.Open(1, -1)) + run.last.result());
    }
    assertThat(results.stream().distinct()).hasSize(1);
    assertThat(results.get(0))
        .endsWith("[\"r0\",null,\"r2\",\"r3\",\"r4\",\"r5\",null,\"r7\",\"r8\"]");
  }

  @Test
  void aStoppedMapIsCancelled() {
    FakeRun run = FakeRun.of(sketch().mapOver("m", list(3), 1, 0), null);
    run.succeedItem("m", 0, "0").cancel().advance();
    assertThat(run.steps).isEqualTo("C");
    assertThat(run.state).isEqualTo(RunState.CANCELLED);
  }

  private static FakeRun withChild(int knownGraphs) {
    Graph child = sketch().task("inner").graph();
    String hash = GraphJson.definition(child).hash();
    Graph parent =
        sketch()
            .add("c", new Work.Child("test::flow", hash, new Input.RunInput()))
            .task("b", "c")
            .payload(new Input.Output(0, "result"))
            .graph();
    GraphPlanner planner =
        knownGraphs == 2 ? FakeRun.planner(parent, child) : FakeRun.planner(parent);
    return new FakeRun(planner, 1, "{\"n\":1}");
  }

  @Test
  void aChildWorkflowIsStartedTogetherWithItsFirstSteps() {
    FakeRun run = withChild(2);
    NewRun child = run.children.get(0);
    assertThat(child.content().definition()).isEqualTo(2);
    assertThat(child.content().input()).isEqualTo("{\"n\":1}");
    assertThat(child.content().parent()).isEqualTo(new StepRef(FakeRun.ID, 0, -1));
    assertThat(child.first().steps()).isEqualTo("A");
    assertThat(child.first().jobs().get(0).job().content().stamp().step())
        .isEqualTo(new StepRef(child.id(), 0, -1));
    run.succeed("c", "{\"result\":{\"x\":1}}");
    assertThat(run.jobs.get(new FakeRun.Open(1, -1))).isEqualTo("{\"x\":1}");
  }

  @Test
  void aChildWorkflowWhoseGraphIsNotKnownIsAskedFor() {
    FakeRun run = withChild(1);
    assertThat(run.steps).isEqualTo("..");
    assertThat(run.last.more()).isTrue();
    assertThat(run.planner.needs(run.facts()).definitions()).hasSize(1);
    run.advance();
    assertThat(run.reason).contains("UNKNOWN_WORKFLOW");
  }

  @Test
  void theIdOfAChildIsGreaterThanThatOfItsParentEvenIfTheClockIsBehind() {
    UUID parent = UUID.fromString("0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e");
    UUID early = UUID.fromString("0197a3c1-0000-7abc-8a31-0f3c2b1a4d5e");
    assertThat(Children.after(parent, early))
        .isEqualTo(UUID.fromString("0197a3c2-5b1f-7abc-8a31-0f3c2b1a4d5e"));
  }
}
