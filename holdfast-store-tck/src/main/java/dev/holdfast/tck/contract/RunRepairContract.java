package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.engine.store.RunRow;
import org.junit.jupiter.api.Test;

/** The repair of runs that are inconsistent with their jobs. */
public abstract class RunRepairContract extends RunContract {

  private RunRepair.Report repair() {
    return runs.repair().repair(null, PLENTY);
  }

  /** Expects one repair, after which there is nothing to repair. */
  private RunRepair.Report repairOne() {
    RunRepair.Report report = repair();
    assertThat(report.repairs()).hasSize(1);
    assertThat(repair().repairs()).isEmpty();
    return report;
  }

  private void assertResult(RunId id, StepState outcome, String code) {
    RunRow.Result result = resultOf(id, 0);
    assertThat(result.outcome()).isEqualTo(outcome);
    assertThat(result.failure()).isNotNull().extracting(RunData.Failure::code).isEqualTo(code);
  }

  @Test
  void consistentRunsAreLeftAlone() {
    start(chain(2));
    startParentOf(chain(1), 1);
    start(chain(1).first(plan -> plan.letter(0, StepState.WAITING)));
    pause(start(chain(1)));

    assertThat(repair().repairs()).isEmpty();
    assertThat(repair().look()).isEmpty();
  }

  @Test
  void anActiveStepWithoutAJobFailsBecauseItsResultIsNotAvailable() {
    RunId id = start(chain(2));
    breakConsistency(Inconsistency.JOB_LOST, id, 0);

    assertThat(repairOne().look()).containsExactly(id);

    assertResult(id, StepState.FAILED, "RESULT_NOT_AVAILABLE");
    assertThat(runs.queries().events(id, 0, PLENTY))
        .extracting(event -> event.event().kind())
        .contains(RunEvent.Kind.RECOVERED);
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);
  }

  @Test
  void anActiveStepWhoseJobWasDeadLetteredGetsItsFailure() {
    RunId id = start(chain(2));
    failOne();
    breakConsistency(Inconsistency.RESULT_LOST, id, 0);
    repairOne();

    assertResult(id, StepState.FAILED, "SMTP_DOWN");
  }

  @Test
  void anActiveStepWhoseJobWasDeadLetteredWithoutAFailureCrashed() {
    RunId id = start(chain(2));
    failOne();
    breakConsistency(Inconsistency.FAILURES_LOST, id, 0);
    breakConsistency(Inconsistency.RESULT_LOST, id, 0);
    repairOne();

    assertResult(id, StepState.FAILED, FailureCode.WORKER_CRASHED);
  }

  @Test
  void anActiveStepWhoseJobWasCancelledIsCancelled() {
    RunId id = start(chain(2));
    store.control().cancel(jobOf(id, 0).id());
    breakConsistency(Inconsistency.RESULT_LOST, id, 0);
    repairOne();

    assertResult(id, StepState.CANCELLED, "TASK_CANCELLED");
  }

  @Test
  void anActiveStepWhoseChildRunHasEndedGetsItsResult() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 2);
    succeedOne();
    advance(child.id());
    breakConsistency(Inconsistency.RESULT_LOST, parent, 0);

    assertThat(repairOne().look()).containsExactly(parent);

    assertThat(resultOf(parent, 0).outcome()).isEqualTo(StepState.SUCCEEDED);
    assertThat(resultOf(parent, 0).output()).isEqualTo("{\"state\":\"SUCCEEDED\"}");
    settle();
    assertThat(row(parent).steps()).isEqualTo("SA");
  }

  @Test
  void aRunInWhichNothingIsActiveWaitingOrMarkedGetsAMark() {
    RunId id = start(chain(2));
    succeedOne();
    planner.script((facts, data) -> ScriptedPlanner.applied(facts).more().build());
    advance(id);
    planner.script((facts, data) -> ScriptedPlanner.chain(facts).build());
    breakConsistency(Inconsistency.MARKS_LOST, id, 0);

    assertThat(repairOne().look()).containsExactly(id);

    settle();
    assertThat(row(id).steps()).isEqualTo("SA");
  }

  @Test
  void aStartableJobOfAPausedRunIsPutOnHold() {
    RunId id = start(chain(1));
    pause(id);
    breakConsistency(Inconsistency.JOB_READY, id, 0);
    repairOne();

    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void aJobOnHoldOfAnActiveRunIsReleased() {
    RunId id = start(chain(1));
    breakConsistency(Inconsistency.JOB_ON_HOLD, id, 0);
    repairOne();

    assertThat(jobState(id, 0)).isEqualTo(JobState.READY);
    assertThat(worker().claim(1)).hasSize(1);
  }

  @Test
  void theJobsOfARunThatDoesNotExistAreCancelled() {
    RunId id = start(chain(1));
    JobId job = jobOf(id, 0).id();
    breakConsistency(Inconsistency.RUN_LOST, id, 0);
    repairOne();

    assertThat(stateOf(job)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void theMarksOfARunThatDoesNotExistAreDeleted() {
    RunId id = start(chain(1));
    succeedOne();
    breakConsistency(Inconsistency.RUN_LOST, id, 0);
    assertThat(runs.advance().marked(PLENTY)).containsExactly(id);
    repairOne();

    assertThat(runs.advance().marked(PLENTY)).isEmpty();
  }

  @Test
  void runsAreRepairedInPortions() {
    RunId first = start(chain(1));
    RunId second = start(chain(1));
    breakConsistency(Inconsistency.JOB_LOST, first, 0);
    breakConsistency(Inconsistency.JOB_LOST, second, 0);

    RunRepair.Report one = runs.repair().repair(null, 1);
    assertThat(one.last()).isEqualTo(first);
    assertThat(one.look()).containsExactly(first);
    RunRepair.Report two = runs.repair().repair(one.last(), 10);
    assertThat(two.last()).isNull();
    assertThat(two.look()).containsExactly(second);
    settle();
    assertThat(runState(second)).isEqualTo(RunState.FAILED);
  }
}
