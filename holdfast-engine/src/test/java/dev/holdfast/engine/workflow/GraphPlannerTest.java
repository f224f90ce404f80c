package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.workflow.Graph.Input;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How runs of tasks, sleeps and signals continue, one fact each. */
class GraphPlannerTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static GraphSketch sketch() {
    return new GraphSketch();
  }

  @Test
  void aChainStartsOneStepAfterTheOther() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a").task("c", "b"), null);
    assertThat(run.steps).isEqualTo("A..");
    run.succeed("a", null);
    assertThat(run.steps).isEqualTo("SA.");
    run.succeed("b", null).succeed("c", null);
    assertThat(run.steps).isEqualTo("SSS");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aJobCarriesItsStepAndTheSettingsOfItsTemplate() {
    FakeRun run = FakeRun.of(sketch().task("a"), "{}");
    RunPlan.Job job = run.last.jobs().get(0);
    assertThat(job.job().content().task()).isEqualTo("a");
    assertThat(job.job().content().priority()).isEqualTo(4);
    assertThat(job.job().idUse()).isEqualTo(NewJob.IdUse.FRESH);
    assertThat(job.job().content().stamp().step()).isEqualTo(new StepRef(FakeRun.ID, 0, -1));
  }

  @Test
  void thePriorityOfARunReplacesThatOfItsSteps() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a"), null);
    run.priority = 9;
    run.succeed("a", null);
    assertThat(run.last.jobs().get(0).job().content().priority()).isEqualTo(9);
  }

  @Test
  void aStepIsJudgedOnlyWhenAllItsDependenciesHaveEnded() {
    FakeRun run =
        FakeRun.of(
            sketch()
                .task("a")
                .onError(OnError.CONTINUE)
                .task("b")
                .task("c", "a", "b")
                .task("d", "c")
                .when(Rule.allDone()),
            null);
    run.fail("a");
    assertThat(run.steps).as("c can only be skipped, but b is open").isEqualTo("FA..");
    run.succeed("b", null);
    assertThat(run.steps).isEqualTo("FSKA");
  }

  @Test
  void aStepThatIsNotEagerWaitsAlthoughItsRuleMustHold() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").task("b").task("c", "a", "b").when(Rule.anySucceeded()), null);
    run.succeed("a", null);
    assertThat(run.steps).isEqualTo("SA.");
  }

  @Test
  void anEagerStepStartsAsSoonAsItsRuleMustHold() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").task("b").task("c", "a", "b").when(Rule.anySucceeded()).eager(),
            null);
    run.succeed("a", null);
    assertThat(run.steps).isEqualTo("SAA");
  }

  @Test
  void anEagerStepIsNotSkippedEarly() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").onError(OnError.CONTINUE).task("b").task("c", "a", "b").eager(),
            null);
    run.fail("a");
    assertThat(run.steps).isEqualTo("FA.");
    run.succeed("b", null);
    assertThat(run.steps).isEqualTo("FSK");
  }

  @Test
  void aRuleOnTheContextReadsTheOutputsOfAncestors() {
    GraphSketch sketch =
        sketch()
            .task("a")
            .task("b", "a")
            .task("c", "b")
            .when(Rule.context(Condition.field("size").isGreaterThan(3)))
            .task("d", "b")
            .when(Rule.context(Condition.field("size").isLessThan(3)));
    FakeRun run = FakeRun.of(sketch, null).succeed("a", "{\"size\": 5}").succeed("b", null);
    assertThat(run.steps).isEqualTo("SSAK");
  }

  @Test
  void skippedStepsAreFollowedInTheSameAdvance() {
    FakeRun run =
        FakeRun.of(
            sketch()
                .task("a")
                .onError(OnError.CONTINUE)
                .task("b", "a")
                .task("c", "b")
                .task("d", "c")
                .when(Rule.allDone()),
            null);
    run.end(new FakeRun.Open(0, -1), StepState.FAILED, null);
    run.advanceOnce();
    assertThat(run.steps).isEqualTo("FKKA");
  }

  @Test
  void aPayloadIsTheMergedContext() {
    FakeRun run =
        FakeRun.of(sketch().task("a").task("b").task("c", "a", "b"), "{\"in\": 1, \"x\": [1]}");
    run.succeed("b", "[7]").succeed("a", "{\"x\": [2]}");
    assertThat(run.jobs.get(new FakeRun.Open(2, -1)))
        .isEqualTo(
            "{\"in\":1,\"x\":[1,2],\"run\":{\"id\":\"%s\",\"workflow\":\"test::flow\"},\"b\":[7]}"
                .formatted(FakeRun.ID));
  }

  @Test
  void ofTwoOutputsTheOneOfTheLaterStepCountsWhicheverEndsLast() {
    for (List<String> order : List.of(List.of("a", "b"), List.of("b", "a"))) {
      FakeRun run = FakeRun.of(sketch().task("a").task("b").task("c", "b", "a"), null);
      order.forEach(
          step -> run.succeed(step, "{\"v\":\"%s\",\"l\":[\"%s\"]}".formatted(step, step)));
      assertThat(run.jobs.get(new FakeRun.Open(2, -1)))
          .contains("\"v\":\"b\"")
          .contains("\"l\":[\"a\",\"b\"]");
    }
  }

  @Test
  void wholeInputsAndOutputsArePassedOnEvenIfTheyAreNotJson() {
    FakeRun run =
        FakeRun.of(
            sketch()
                .task("a")
                .payload(new Input.RunInput())
                .task("b", "a")
                .payload(new Input.Output(0, null)),
            "secret:1");
    assertThat(run.jobs.get(new FakeRun.Open(0, -1))).isEqualTo("secret:1");
    run.succeed("a", "secret:2");
    assertThat(run.jobs.get(new FakeRun.Open(1, -1))).isEqualTo("secret:2");
  }

  @Test
  void aContextOfTextThatIsNotJsonFailsTheStep() {
    FakeRun run = FakeRun.of(sketch().task("a"), "secret:1");
    assertThat(run.steps).isEqualTo("F");
    assertThat(run.results.get(0).failure().code()).isEqualTo("NOT_JSON");
    assertThat(run.state).isEqualTo(RunState.FAILED);
  }

  @Test
  void aPartOfAnOutputIsAPayload() {
    FakeRun run =
        FakeRun.of(sketch().task("a").task("b", "a").payload(new Input.Output(0, "x.y")), null);
    run.succeed("a", "{\"x\":{\"y\":[1, 2]}}");
    assertThat(run.jobs.get(new FakeRun.Open(1, -1))).isEqualTo("[1,2]");
  }

  @Test
  void aFailureStopsTheRunAndSkipsWhatIsPending() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b").task("c", "b").sleep("d"), null);
    run.end(new FakeRun.Open(0, -1), StepState.FAILED, null);
    RunPlan plan = run.advanceOnce();
    assertThat(plan.steps()).isEqualTo("FAKC");
    assertThat(plan.phase()).isEqualTo(RunPhase.STOPPING);
    assertThat(plan.state()).isEqualTo(RunState.RUNNING);
    assertThat(plan.stopped()).containsExactly(1);
    assertThat(plan.untimed()).contains(3);
    run.advance();
    assertThat(run.steps).isEqualTo("FCKC");
    assertThat(run.state).isEqualTo(RunState.FAILED);
    assertThat(run.reason).isEqualTo("STEP_FAILED: step 'a' failed: BROKEN: it broke");
  }

  @Test
  void aStepThatSucceedsWhileTheRunStopsIsCompensated() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b").compensated(), null);
    run.end(new FakeRun.Open(1, -1), StepState.SUCCEEDED, "1");
    run.fail("a");
    assertThat(run.steps).isEqualTo("FSA");
  }

  @Test
  void aStepThatFailsAtItsStartCreatesNothingElse() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a").mapOver("c", "1", 0, 0, "a"), null);
    run.succeed("a", null);
    assertThat(run.steps).isEqualTo("SKF");
    assertThat(run.payloads.keySet()).containsExactly(new FakeRun.Open(0, -1));
  }

  @Test
  void aPausedRunAppliesOutcomesAndStartsNothing() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a"), null);
    run.pause().succeed("a", null);
    assertThat(run.steps).isEqualTo("S.");
    assertThat(run.state).isEqualTo(RunState.PAUSED);
    run.resume().advance();
    assertThat(run.steps).isEqualTo("SA");
  }

  @Test
  void aFailureDuringAPauseTakesEffectAfterIt() {
    FakeRun run = FakeRun.of(sketch().task("a"), null).pause().fail("a");
    assertThat(run.phase).isEqualTo(RunPhase.MAIN);
    assertThat(run.state).isEqualTo(RunState.PAUSED);
    run.resume().advance();
    assertThat(run.state).isEqualTo(RunState.FAILED);
  }

  @Test
  void aFailureCanPauseTheRun() {
    FakeRun run =
        FakeRun.of(sketch().task("a").onError(OnError.PAUSE).task("b", "a"), null).fail("a");
    assertThat(run.state).isEqualTo(RunState.PAUSED);
    assertThat(run.steps).isEqualTo("F.");
    assertThat(run.reason).contains("step 'a' failed");
    run.resume().advance();
    assertThat(run.steps).as("afterwards the rules decide").isEqualTo("FK");
    assertThat(run.state).isEqualTo(RunState.FAILED);
  }

  @Test
  void retryingAPausedRunOpensTheFailedStepAgain() {
    FakeRun run =
        FakeRun.of(sketch().task("a").onError(OnError.PAUSE).task("b", "a"), null).fail("a");
    run.retry().succeed("a", null).succeed("b", null);
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aFailureThatIsAcceptedDoesNotFailTheRun() {
    FakeRun run = FakeRun.of(sketch().task("a").onError(OnError.CONTINUE), null).fail("a");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aStepThatMustSucceedFailsTheRunIfItIsSkipped() {
    GraphSketch sketch =
        sketch().task("a").onError(OnError.CONTINUE).task("b", "a").mustSucceed("b");
    FakeRun run = FakeRun.of(sketch, null).fail("a");
    assertThat(run.state).isEqualTo(RunState.FAILED);
    assertThat(run.reason).isEqualTo("STEP_FAILED: step 'b' must succeed, but was skipped");
  }

  @Test
  void compensationsRunOneAtATimeInReverseOrderOfSuccess() {
    FakeRun run =
        FakeRun.of(
            sketch()
                .task("a")
                .compensated()
                .task("b")
                .compensated()
                .task("c", "a", "b")
                .compensated(),
            "{}");
    run.succeed("b", "\"B\"").succeed("a", "\"A\"").fail("c");
    assertThat(run.steps).as("a succeeded last").isEqualTo("SSFA.K");
    run.succeed("undo:a", null);
    assertThat(run.steps).isEqualTo("SSFSAK");
    assertThat(run.phase).isEqualTo(RunPhase.COMPENSATE);
    run.succeed("undo:b", null);
    assertThat(run.state).isEqualTo(RunState.FAILED);
  }

  @Test
  void aCompensationIsGivenTheInputAndTheOutputOfItsStep() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").payload(new Input.RunInput()).compensated().task("b", "a"), "[1]");
    run.succeed("a", "{\"x\":2}").fail("b");
    assertThat(run.jobs.get(new FakeRun.Open(2, -1)))
        .isEqualTo("{\"input\":[1],\"output\":{\"x\":2}}");
  }

  @Test
  void afterAFailedCompensationTheOthersRun() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").compensated().task("b", "a").compensated().task("c", "b"), "{}");
    run.succeed("a", null).succeed("b", null).fail("c").fail("undo:b");
    assertThat(run.stateOf("undo:a")).isEqualTo(StepState.ACTIVE);
    assertThat(run.events)
        .contains(
            new RunPlan.Event(RunEvent.Kind.STEP_FAILED, run.at("undo:b"), "COMPENSATION_FAILED"));
    run.succeed("undo:a", null);
    assertThat(run.state).isEqualTo(RunState.FAILED);
  }

  @Test
  void finallyStepsRunAfterSuccessFailureAndCancellation() {
    GraphSketch sketch = sketch().task("a").lastly("z");
    FakeRun success = FakeRun.of(sketch, null).succeed("a", null);
    assertThat(success.steps).isEqualTo("SA");
    assertThat(success.succeed("z", null).state).isEqualTo(RunState.SUCCEEDED);
    FakeRun failure = FakeRun.of(sketch, null).fail("a");
    assertThat(failure.steps).isEqualTo("FA");
    assertThat(failure.succeed("z", null).state).isEqualTo(RunState.FAILED);
    FakeRun cancelled = FakeRun.of(sketch, null).cancel().advance();
    assertThat(cancelled.steps).isEqualTo("CA");
    assertThat(cancelled.succeed("z", null).state).isEqualTo(RunState.CANCELLED);
  }

  @Test
  void finallyStepsMayDependOnEachOther() {
    GraphSketch sketch =
        sketch()
            .task("a")
            .lastly("y", Rule.allSucceeded(), OnError.CONTINUE)
            .lastly("z", Rule.anyFailed(), OnError.FAIL, 0);
    FakeRun run = FakeRun.of(sketch, null).succeed("a", "{\"n\":1}").fail("y");
    assertThat(run.steps).isEqualTo("SFA");
    assertThat(run.jobs.get(new FakeRun.Open(2, -1))).contains("\"n\":1");
    assertThat(run.succeed("z", null).state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aFailedFinallyStepFailsTheRun() {
    FakeRun run = FakeRun.of(sketch().task("a").lastly("z"), null).succeed("a", null).fail("z");
    assertThat(run.state).isEqualTo(RunState.FAILED);
    assertThat(run.reason).contains("step 'z' failed: BROKEN");
  }

  @Test
  void aCancelledRunStartsOnlyCleanup() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").compensated().task("b", "a").task("c", "b").lastly("z"), null);
    run.succeed("a", null).cancel().advance();
    assertThat(run.steps).isEqualTo("SCKA.");
    run.succeed("undo:a", null);
    assertThat(run.steps).isEqualTo("SCKSA");
    run.succeed("z", null);
    assertThat(run.state).isEqualTo(RunState.CANCELLED);
  }

  @Test
  void theDeadlineCancelsTheRunAndFailsIt() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a").deadline(MINUTE), null);
    assertThat(run.timers).contains(new RunPlan.Timer(-1, RunMark.Kind.DEADLINE, MINUTE));
    run.fire(RunMark.Kind.DEADLINE, -1);
    assertThat(run.advanceOnce().state()).isEqualTo(RunState.CANCELLING);
    run.advance();
    assertThat(run.steps).isEqualTo("CK");
    assertThat(run.state).isEqualTo(RunState.FAILED);
    assertThat(run.reason).startsWith("DEADLINE");
  }

  @Test
  void theDeadlineEndsAPausedRun() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a").deadline(MINUTE), null).pause();
    run.fire(RunMark.Kind.DEADLINE, -1);
    assertThat(run.advanceOnce().state()).isEqualTo(RunState.CANCELLING);
  }

  @Test
  void aRerunThatWaitedForItsTurnGetsItsDeadlineWhenItStarts() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a").deadline(MINUTE), null);
    run.succeed("a", null);
    run.steps = "S.";
    run.jobs.clear();
    run.timers.clear();
    run.marks.add(RunMark.of(RunMark.Kind.LOOK, RunMark.ADMITTED));
    assertThat(run.advanceOnce().timers())
        .contains(new RunPlan.Timer(-1, RunMark.Kind.DEADLINE, MINUTE));
  }

  @Test
  void aRunThatWaitedForItsTurnGetsItsDeadlineWhenItStarts() {
    FakeRun run = FakeRun.of(sketch().task("a").deadline(MINUTE), null);
    run.steps = ".";
    run.jobs.clear();
    run.timers.clear();
    run.look();
    assertThat(run.advanceOnce().timers())
        .contains(new RunPlan.Timer(-1, RunMark.Kind.DEADLINE, MINUTE));
  }

  @Test
  void aSleepWaitsForItsTimer() {
    FakeRun run = FakeRun.of(sketch().sleep("a").task("b", "a"), null);
    assertThat(run.steps).isEqualTo("W.");
    run.fire(RunMark.Kind.SLEPT, "a");
    assertThat(run.steps).isEqualTo("SA");
  }

  @Test
  void aSignalThatWasSentBeforeCounts() {
    FakeRun run = FakeRun.of(sketch().task("a").signal("b", "go", null, "a").task("c", "b"), null);
    run.signal("go", "1", "{\"by\":\"me\"}");
    assertThat(run.steps).isEqualTo("A..");
    run.succeed("a", null);
    assertThat(run.steps).isEqualTo("SSA");
    assertThat(run.signals).isEmpty();
    assertThat(run.jobs.get(new FakeRun.Open(2, -1))).contains("\"by\":\"me\"");
  }

  @Test
  void aWaitingStepTakesASignalThatArrives() {
    FakeRun run = FakeRun.of(sketch().signal("a", "go", null).within(MINUTE), null);
    assertThat(run.steps).isEqualTo("W");
    run.signal("go", "1", null);
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
    assertThat(run.timers).isEmpty();
  }

  @Test
  void eachSignalIsUsedOnce() {
    FakeRun run = FakeRun.of(sketch().signal("a", "go", null).signal("b", "go", null), null);
    run.signal("go", "1", null);
    assertThat(run.steps).isEqualTo("SW");
    run.signal("go", "2", null);
    assertThat(run.steps).isEqualTo("SS");
  }

  @Test
  void aSignalThatDoesNotComeInTimeFailsTheStepUnlessItHasADefault() {
    FakeRun failed = FakeRun.of(sketch().signal("a", "go", null).within(MINUTE), null);
    failed.fire(RunMark.Kind.TIMED_OUT, "a");
    assertThat(failed.steps).isEqualTo("F");
    assertThat(failed.reason).contains("TIMED_OUT");
    FakeRun other =
        FakeRun.of(
            sketch().signal("a", "go", "\"no\"").within(MINUTE).result(new Input.Output(0, null)),
            null);
    other.fire(RunMark.Kind.TIMED_OUT, "a");
    assertThat(other.state).isEqualTo(RunState.SUCCEEDED);
    assertThat(other.last.result()).isEqualTo("\"no\"");
  }

  @Test
  void aTimeoutFailsAnActiveStepAtOnceAndStopsItsJob() {
    FakeRun run =
        FakeRun.of(sketch().task("a").within(MINUTE).onError(OnError.CONTINUE).task("b"), null);
    run.fire(RunMark.Kind.TIMED_OUT, 0);
    RunPlan plan = run.advanceOnce();
    assertThat(plan.steps()).isEqualTo("FA");
    assertThat(plan.stopped()).containsExactly(0);
    run.advance();
    assertThat(run.steps).as("the end of the job changes nothing").isEqualTo("FA");
  }

  @Test
  void anOutcomeInTheSameAdvanceCountsBeforeATimeout() {
    FakeRun run = FakeRun.of(sketch().task("a").within(MINUTE), null);
    run.fire(RunMark.Kind.TIMED_OUT, 0);
    run.succeed("a", null);
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aRunThatEndsHasAResultAndASummary() {
    FakeRun run =
        FakeRun.of(sketch().task("a").result(new Input.Output(0, "x")), null)
            .succeed("a", "{\"x\": {\"y\": 1}}");
    assertThat(run.last.result()).isEqualTo("{\"y\":1}");
    assertThat(run.last.summary())
        .isEqualTo(
            "{\"run\":\"%s\",\"workflow\":\"test::flow\",\"state\":\"SUCCEEDED\",\"result\":{\"y\":1},\"reason\":null}"
                .formatted(FakeRun.ID));
  }

  @Test
  void outputsThatAreTooLargeTogetherFailTheStepThatExceedsTheLimit() {
    FakeRun run = FakeRun.of(sketch().task("a").task("b", "a"), null);
    run.bytes = SizeLimit.MOST_BYTES + 1;
    run.succeed("a", "{}");
    assertThat(run.steps).isEqualTo("FK");
    assertThat(run.reason).contains("RUN_TOO_LARGE");
  }

  @Test
  void theDataOfSignalsCountsTowardsTheSizeOfTheRun() {
    GraphSketch sketch =
        sketch().signal("a", "go", null).onError(OnError.CONTINUE).signal("b", "on", "12");
    FakeRun run = FakeRun.of(sketch.onError(OnError.CONTINUE).within(MINUTE), null);
    run.bytes = SizeLimit.MOST_BYTES - 5;
    run.signals.add(new RunData.Signal("go", "1", "1234"));
    run.signals.add(new RunData.Signal("on", "1", "12"));
    run.look().advance();
    assertThat(run.steps).isEqualTo("SF");
    assertThat(run.results.get(1).failure().describe())
        .startsWith("RUN_TOO_LARGE")
        .contains("step 'b'", String.valueOf(SizeLimit.MOST_BYTES + 1));

    FakeRun late = FakeRun.of(sketch, null);
    late.bytes = SizeLimit.MOST_BYTES - 1;
    late.fire(RunMark.Kind.TIMED_OUT, "b");
    assertThat(late.steps).isEqualTo("WF");
  }

  @Test
  void aSignalThatWasSentBeforeCountsTowardsTheSizeOfTheRun() {
    FakeRun run = FakeRun.of(sketch().task("a").signal("b", "go", null, "a"), null);
    run.signal("go", "1", "1234");
    run.bytes = SizeLimit.MOST_BYTES - 3;
    run.succeed("a", null);
    assertThat(run.steps).isEqualTo("SF");
    assertThat(run.reason).contains("RUN_TOO_LARGE");
  }

  @Test
  void aRetryKeepsWhatSucceededAndRepeatsWhatWasUndone() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").task("b", "a").compensated().task("c", "b").lastly("z"), null);
    run.succeed("a", null).succeed("b", null).fail("c").succeed("undo:b", null);
    run.succeed("z", null);
    assertThat(run.state).isEqualTo(RunState.FAILED);
    run.retry();
    assertThat(run.steps).isEqualTo("SA...");
    run.succeed("b", null).succeed("c", null).succeed("z", null);
    assertThat(run.steps).isEqualTo("SSSKS");
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aRetryRepeatsWhatFollowsAStepThatWasUndone() {
    FakeRun run =
        FakeRun.of(
            sketch().task("a").compensated().task("b", "a").task("x").task("c", "b", "x"), null);
    run.succeed("a", null).succeed("b", null).succeed("x", null).fail("c");
    run.succeed("undo:a", null);
    assertThat(run.state).isEqualTo(RunState.FAILED);
    run.retry();
    assertThat(run.steps).isEqualTo("A.S..");
    run.succeed("a", null).succeed("b", null).succeed("c", null);
    assertThat(run.state).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aRunThatIsRepeatedTakesOverResults() {
    Graph graph = sketch().task("a").task("b", "a").graph();
    GraphPlanner planner = FakeRun.planner(graph);
    RunPlan plan =
        planner.first(
            new GraphPlanner.Start(
                FakeRun.ID,
                1,
                null,
                null,
                RunSource.NONE,
                List.of(new RunPlan.Result(0, -1, StepState.SUCCEEDED, "{\"n\":1}", null))));
    assertThat(plan.steps()).isEqualTo("SA");
    assertThat(plan.jobs().get(0).job().content().payload()).contains("\"n\":1");
  }

  @Test
  void aPauseWhileTheRunFailsDoesNotTurnItIntoASuccess() {
    GraphSketch sketch = sketch().task("a").task("b").mustSucceed("b").lastly("z");
    FakeRun run = FakeRun.of(sketch, null).succeed("b", null);
    run.fail("a").pause().resume().succeed("z", null);
    assertThat(run.state).isEqualTo(RunState.FAILED);
  }
}
