package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Results and marks of steps, and the advance of runs. */
public abstract class RunAdvanceContract extends RunContract {

  @Test
  void aFinishedStepLeavesAResultAndAMark() {
    RunId id = start(chain(2));
    ClaimedJob job = succeedOne();

    RunRow.Result result = resultOf(id, 0);
    assertThat(result.outcome()).isEqualTo(StepState.SUCCEEDED);
    assertThat(result.output()).isEqualTo("\"done\"");
    assertThat(result.job()).isEqualTo(job.id());
    assertThat(result.attempt()).isEqualTo(1);
    assertThat(details(id).marked()).isTrue();
    assertThat(runs.advance().marked(PLENTY)).containsExactly(id);
    assertThat(row(id).steps()).isEqualTo("A.");
  }

  @Test
  void theOutputOfAStepIsKeptEvenIfTheResultOfTheJobIsNot() {
    RunId id = start(chain(2));
    Worker worker = worker();
    worker.finish(
        new Finish.Succeeded(worker.claimOne().claim(), "\"short-lived\"", Duration.ZERO));

    assertThat(resultOf(id, 0).output()).isEqualTo("\"short-lived\"");
  }

  @Test
  void stepsAndPlainJobsAreFinishedTogether() {
    RunId id = start(chain(2));
    Worker worker = worker();
    ClaimedJob step = worker.claimOne();
    enqueue(job());
    ClaimedJob plain = worker.claimOne();

    assertThat(
            worker.finishAll(
                List.of(
                    new Finish.Succeeded(plain.claim(), "\"plain\"", null, true),
                    new Finish.Succeeded(step.claim(), "\"step\"", null, false))))
        .containsExactly(Outcomes.Result.WRITTEN, Outcomes.Result.WRITTEN);
    assertThat(resultOf(id, 0).output()).isEqualTo("\"step\"");
    assertThat(find(plain.id()).result()).contains("\"plain\"");
    assertThat(runs.advance().marked(PLENTY)).containsExactly(id);
  }

  @Test
  void aStepIsNotFinishedAsAPlainJob() {
    RunId id = start(chain(2));
    Worker worker = worker();
    ClaimedJob step = worker.claimOne();

    assertThat(worker.finish(new Finish.Succeeded(step.claim(), null, null, true)))
        .isEqualTo(Outcomes.Result.LOST);
    assertThat(hasResult(id, 0)).isFalse();
    assertThat(find(step.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aFailedStepLeavesItsFailure() {
    RunId id = start(chain(2));
    failOne();

    RunRow.Result result = resultOf(id, 0);
    assertThat(result.outcome()).isEqualTo(StepState.FAILED);
    assertThat(result.failure())
        .isEqualTo(new RunData.Failure("SMTP_DOWN", "it broke permanently"));
    advance(id);
    assertThat(planner.lastFacts().marks())
        .containsExactly(new RunMark(RunMark.Kind.ENDED, 0, 0, 1, 0));
  }

  @Test
  void aRetriedAttemptLeavesNoResult() {
    RunId id = start(chain(2));
    Worker worker = worker();
    worker.retryIn(worker.claimOne(), Duration.ZERO);

    assertThat(hasResult(id, 0)).isFalse();
    assertThat(runs.advance().marked(PLENTY)).isEmpty();
  }

  @Test
  void aStepThatExpiredHasFailed() {
    RunId id = start(chain(1).first(plan -> plan.job(0, job().startWithin(Duration.ofMinutes(1)))));
    passTime(Duration.ofMinutes(2));
    stage();

    RunRow.Result result = resultOf(id, 0);
    assertThat(result.outcome()).isEqualTo(StepState.FAILED);
    assertThat(result.failure())
        .isNotNull()
        .extracting(RunData.Failure::code)
        .isEqualTo("TASK_EXPIRED");
    advance(id);
    assertThat(runState(id)).isEqualTo(RunState.FAILED);
  }

  @Test
  void aStepWhoseJobWasCancelledIsCancelled() {
    RunId id = start(chain(1));
    store.control().cancel(jobOf(id, 0).id());

    assertThat(resultOf(id, 0).outcome()).isEqualTo(StepState.CANCELLED);
    advance(id);
    assertThat(planner.lastFacts().marks())
        .containsExactly(new RunMark(RunMark.Kind.ENDED, 0, 0, 0, 1));
  }

  @Test
  void anAdvanceStartsTheNextStep() {
    RunId id = start(chain(2));
    succeedOne();

    RunAdvance.Report report = advance(id);

    assertThat(report.advanced()).isEqualTo(1);
    assertThat(report.ready()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(row(id).steps()).isEqualTo("SA");
    assertThat(worker().claimOne().step()).isEqualTo(new StepRef(id, 1, StepRef.NO_ITEM));
  }

  @Test
  void marksAreAppliedOnce() {
    RunId id = start(chain(3));
    succeedOne();

    assertThat(advance(id).advanced()).isEqualTo(1);
    assertThat(advance(id).advanced()).isZero();

    assertThat(planner.facts()).hasSize(1);
    assertThat(row(id).steps()).isEqualTo("SA.");
    assertThat(worker().claim(PLENTY)).hasSize(1);
  }

  @Test
  void aRunWithoutMarksIsNotAdvanced() {
    RunId id = start(chain(2));

    assertThat(advance(id).advanced()).isZero();
    assertThat(planner.facts()).isEmpty();
    assertThat(row(id).steps()).isEqualTo("A.");
  }

  @Test
  void ifThePlannerFailsNothingIsWrittenAndTheMarksStay() {
    RunId id = start(chain(2));
    succeedOne();
    planner.script((facts, data) -> {
      throw new IllegalStateException("no plan");
    });
    assertThatThrownBy(() -> advance(id)).hasMessageContaining("no plan");

    assertThat(row(id).steps()).isEqualTo("A.");
    planner.script((facts, data) -> ScriptedPlanner.chain(facts).build());
    settle();
    assertThat(row(id).steps()).isEqualTo("SA");
  }

  @Test
  void thePlannerIsTaughtTheGraphOfTheRun() {
    RunId id = start(chain(1));
    succeedOne();
    advance(id);

    assertThat(planner.known()).containsOnlyKeys(definition);
  }

  @Test
  void thePlannerGetsTheDataThatItNeeds() {
    RunId id = start(chain(3));
    succeedOne();
    advance(id);
    passTime(Duration.ofSeconds(1));
    failOne();
    planner.needs(new RunData.Needs(Set.of(0, 2), Set.of(), Set.of(), true, Set.of(1), Set.of()));
    advance(id);

    RunData data = planner.lastData();
    assertThat(data.outputs()).isEqualTo(Map.of(0, Optional.of("\"done\"")));
    assertThat(data.successes()).containsExactly(0);
    assertThat(data.failures())
        .isEqualTo(Map.of(1, new RunData.Failure("SMTP_DOWN", "it broke permanently")));
    assertThat(data.items()).isEmpty();
  }

  @Test
  void successesAreInTheOrderInWhichStepsEnded() {
    RunId id = start(chain(2).first(plan -> plan.job(0).job(1)));
    Worker worker = worker();
    List<ClaimedJob> jobs = worker.claim(2);
    worker.succeed(stepOf(jobs, 1));
    passTime(Duration.ofSeconds(1));
    worker.succeed(stepOf(jobs, 0));
    planner.needs(new RunData.Needs(Set.of(), Set.of(), Set.of(), true, Set.of(), Set.of()));
    advance(id);

    assertThat(planner.lastData().successes()).containsExactly(1, 0);
  }

  private static ClaimedJob stepOf(List<ClaimedJob> jobs, int step) {
    return jobs.stream()
        .filter(job -> job.step() != null && job.step().step() == step)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anEndedRunLeavesTheOpenRunsAndCanBeFound() {
    RunId id = start(chain(1));
    succeedOne();

    assertThat(advance(id).ended()).isEqualTo(Map.of(id, RunState.SUCCEEDED));

    RunRow row = row(id);
    assertThat(row.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(row.result()).isEqualTo("\"all\"");
    assertThat(row.endedAt()).isNotNull();
    assertThat(resultOf(id, 0).output()).isEqualTo("\"done\"");
    assertThat(runs.advance().marked(PLENTY)).isEmpty();
    assertThat(runs.repair().repair(null, PLENTY).repairs()).isEmpty();
  }

  @Test
  void aPlanThatIsLimitedInSizeIsContinuedByAnotherAdvance() {
    RunId id = start(chain(2));
    succeedOne();
    planner.script((facts, data) -> ScriptedPlanner.applied(facts).more().build());

    assertThat(advance(id).next()).contains(id);
    assertThat(runs.advance().marked(PLENTY)).containsExactly(id);
  }

  @Test
  void aPlansChildrenAreCreatedWithTheirJobs() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 2);

    assertThat(row(child.id()).parent()).isEqualTo(new StepRef(parent, 0, StepRef.NO_ITEM));
    assertThat(details(parent).children()).isEqualTo(Map.of(0, child.id()));
    assertThat(worker().claimOne().step()).isEqualTo(new StepRef(child.id(), 0, StepRef.NO_ITEM));
  }

  @Test
  void theParentOfAnEndedRunGetsItsSummaryAndAMark() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 2);
    succeedOne();

    assertThat(advance(child.id()).next()).contains(parent);

    assertThat(resultOf(parent, 0).outcome()).isEqualTo(StepState.SUCCEEDED);
    assertThat(resultOf(parent, 0).output()).isEqualTo("{\"state\":\"SUCCEEDED\"}");
    assertThat(runs.advance().marked(PLENTY)).containsExactly(parent);
    settle();
    assertThat(row(parent).steps()).isEqualTo("SA");
  }

  @Test
  void theParentOfAFailedRunLearnsThatItFailed() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 1);
    failOne();
    settle();

    assertThat(resultOf(parent, 0).outcome()).isEqualTo(StepState.FAILED);
    assertThat(runState(parent)).isEqualTo(RunState.FAILED);
  }

  @Test
  void theJobsOfAMapAreCounted() {
    RunId id = start(chain(2).first(plan -> plan.map(0, 4, 0, 3)));
    Worker worker = worker();
    List<ClaimedJob> jobs = worker.claim(3);
    worker.succeed(jobs.get(0));
    worker.failPermanently(jobs.get(1));
    advance(id);

    assertThat(details(id).maps()).isEqualTo(Map.of(0, new MapCounts(4, 3, 1, 1, 0)));
    assertThat(planner.lastFacts().maps()).isEqualTo(details(id).maps());
    assertThat(details(id).results()).isEmpty();
    assertThat(details(id).jobs()).isEmpty();

    planner.script((facts, data) -> ScriptedPlanner.applied(facts).map(0, 4, 3, 4).build());
    worker.succeed(jobs.get(2));
    advance(id);
    assertThat(details(id).maps()).isEqualTo(Map.of(0, new MapCounts(4, 4, 2, 1, 0)));
  }

  @Test
  void theOutputsOfAMapAreReadInTheOrderOfItsElements() {
    RunId id = start(chain(2).first(plan -> plan.map(0, 2, 0, 2)));
    Worker worker = worker();
    for (ClaimedJob job : worker.claim(2).reversed()) {
      int item = job.step() == null ? -1 : job.step().item();
      worker.finish(new Finish.Succeeded(job.claim(), "\"%d\"".formatted(item), null));
    }
    planner.needs(new RunData.Needs(Set.of(), Set.of(0), Set.of(), false, Set.of(), Set.of()));
    advance(id);

    assertThat(planner.lastData().items()).isEqualTo(Map.of(0, List.of("\"0\"", "\"1\"")));
  }

  @Test
  void aStoppedStepsJobsEndOrAreAskedToStop() {
    RunId id = start(chain(2).first(plan -> plan.job(1).map(0, 2, 0, 2)));
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    ClaimedJob running = worker.claimOne();
    planner.script((facts, data) -> ScriptedPlanner.applied(facts).stop(0).build());

    RunAdvance.Report report = advance(id);

    assertThat(report.stopping()).containsExactly(worker.incarnation());
    assertThat(find(running.id()).cancelRequested()).isTrue();
    worker.finish(new Finish.Cancelled(running.claim()));
    planner.script((facts, data) -> ScriptedPlanner.applied(facts).build());
    settle();
    assertThat(details(id).maps()).isEqualTo(Map.of(0, new MapCounts(2, 2, 0, 0, 2)));
  }

  @Test
  void aTimerFiresIntoAMark() {
    RunId id = start(sleeping(Duration.ofMinutes(10)));

    RunAdvance.Timers early = runs.advance().fireTimers(PLENTY);
    assertThat(early.fired()).isEmpty();
    assertThat(early.next().orElseThrow()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    assertThat(details(id).timers()).containsOnlyKeys(0);

    passTime(Duration.ofMinutes(11));
    RunAdvance.Timers due = runs.advance().fireTimers(PLENTY);
    assertThat(due.fired()).containsExactly(id);
    assertThat(due.next()).isEmpty();
    assertThat(runs.advance().fireTimers(PLENTY).fired()).isEmpty();
    settle();
    assertThat(planner.facts().getFirst().marks())
        .containsExactly(RunMark.of(RunMark.Kind.SLEPT, 0));
    assertThat(row(id).steps()).isEqualTo("SA");
  }

  private RunDraft sleeping(Duration time) {
    return chain(2)
        .first(plan -> plan.letter(0, StepState.WAITING).timer(0, RunMark.Kind.SLEPT, time));
  }

  @Test
  void theReportOfAnAdvanceNamesTheNextTimer() {
    RunId id = start(chain(2));
    succeedOne();
    planner.script((facts, data) ->
        ScriptedPlanner.applied(facts)
            .letter(1, StepState.WAITING)
            .timer(1, RunMark.Kind.SLEPT, Duration.ofMinutes(5))
            .build());

    assertThat(advance(id).nextTimer()).contains(Duration.ofMinutes(5));
  }

  @Test
  void timersFireAtMostTheGivenNumberAndTheEarliestFirst() {
    RunId late = start(sleeping(Duration.ofMinutes(2)));
    RunId early = start(sleeping(Duration.ofMinutes(1)));
    passTime(Duration.ofMinutes(3));

    RunAdvance.Timers first = runs.advance().fireTimers(1);
    assertThat(first.fired()).containsExactly(early);
    assertThat(first.more()).isTrue();
    assertThat(first.next()).contains(Duration.ZERO);
    assertThat(runs.advance().fireTimers(PLENTY).fired()).containsExactly(late);
  }

  @Test
  void aDeletedTimerDoesNotFire() {
    RunId id =
        start(
            chain(2)
                .first(
                    plan -> plan.job(0).timer(0, RunMark.Kind.TIMED_OUT, Duration.ofMinutes(1))));
    succeedOne();
    planner.script((facts, data) -> ScriptedPlanner.applied(facts).untime(0).build());
    advance(id);
    passTime(Duration.ofMinutes(2));

    RunAdvance.Timers timers = runs.advance().fireTimers(PLENTY);
    assertThat(timers.fired()).isEmpty();
    assertThat(timers.next()).isEmpty();
  }

  @Test
  void theTimersOfAnEndedRunDoNotFire() {
    RunId id =
        start(
            chain(1)
                .first(
                    plan -> plan.job(0).timer(-1, RunMark.Kind.DEADLINE, Duration.ofMinutes(1))));
    succeedOne();
    advance(id);
    passTime(Duration.ofMinutes(2));

    assertThat(runs.advance().fireTimers(PLENTY).fired()).isEmpty();
  }

  @Test
  void aJobThatCrashedTooOftenLeavesWorkerCrashedInTheResult() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    crash(worker, job);

    assertThat(jobState(id, 0)).isEqualTo(JobState.FAILED);
    assertThat(resultOf(id, 0).failure())
        .isNotNull()
        .extracting(RunData.Failure::code)
        .isEqualTo(FailureCode.WORKER_CRASHED);
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);
  }
}
