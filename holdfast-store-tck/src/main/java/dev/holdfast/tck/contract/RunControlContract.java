package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pausing, resuming and cancelling runs. */
public abstract class RunControlContract extends RunContract {
  private static final RunId UNKNOWN = new RunId(freshIncarnation());

  private RunId startScheduled() {
    return start(chain(1).first(plan -> plan.job(0, job().dueIn(Duration.ofHours(1)))));
  }

  @Test
  void pauseHoldsAReadyJob() {
    RunId id = start(chain(1));

    RunControl.Result result = pause(id);

    assertThat(result.done()).isTrue();
    assertThat(result.before()).contains(RunState.RUNNING);
    assertThat(runState(id)).isEqualTo(RunState.PAUSED);
    assertThat(row(id).reason()).isEqualTo("by hand");
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
    assertThat(worker().claim(1)).isEmpty();
  }

  @Test
  void pauseHoldsAScheduledJob() {
    RunId id = startScheduled();
    pause(id);

    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void theStartOfAPrefetchedJobOfAPausedRunIsRefused() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob claimed = worker.prefetchOne();
    pause(id);

    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
    assertThat(worker.start(claimed.claim())).isEmpty();
    assertThat(worker.giveBack(claimed.claim())).isEmpty();
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void aRunningJobOfAPausedRunMayEnd() {
    RunId id = start(chain(2));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    pause(id);

    assertThat(jobState(id, 0)).isEqualTo(JobState.RUNNING);
    assertThat(worker.succeed(running)).isEqualTo(Result.WRITTEN);
    settle();
    assertThat(row(id).steps()).isEqualTo("S.");
    assertThat(runState(id)).isEqualTo(RunState.PAUSED);
  }

  @Test
  void aRetriedJobOfAPausedRunIsOnHold() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    pause(id);
    worker.retryIn(running, Duration.ZERO);

    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
    assertThat(worker.claim(1)).isEmpty();
  }

  @Test
  void aJobOfAPausedRunThatWaitsForItsRetryIsOnHold() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    pause(id);
    worker.later(running, Duration.ofMinutes(1));
    passTime(Duration.ofMinutes(2));
    stage();

    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void aJobOfAPausedRunThatWasHandedBackIsOnHold() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    pause(id);

    assertThat(worker.giveBack(running.claim())).containsExactly(running.claim());
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void aJobOfAPausedRunThatIsRecoveredAfterACrashIsOnHold() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    pause(id);
    recover(
        worker,
        new RecoveryAction.AfterCrash(
            running.claim(), Duration.ZERO, Suspicion.NONE, worker.failure(running, "died")));

    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void stagingDoesNotMakeAJobOfAPausedRunReady() {
    RunId id = startScheduled();
    pause(id);
    passTime(Duration.ofHours(2));

    assertThat(stage().readied()).isEmpty();
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void resumeMakesJobsReadyAndHasTheRunAdvanced() {
    RunId id = start(chain(1));
    pause(id);

    RunControl.Result result = resume(id);

    assertThat(result.done()).isTrue();
    assertThat(result.ready()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(result.look()).containsExactly(id);
    assertThat(runState(id)).isEqualTo(RunState.RUNNING);
    assertThat(row(id).reason()).isNull();
    assertThat(jobState(id, 0)).isEqualTo(JobState.READY);
    assertThat(runs.advance().marked(PLENTY)).containsExactly(id);
  }

  @Test
  void resumeLeavesAJobThatIsNotDueScheduled() {
    RunId id = startScheduled();
    pause(id);
    resume(id);

    assertThat(jobState(id, 0)).isEqualTo(JobState.SCHEDULED);
    passTime(Duration.ofHours(2));
    stage();
    assertThat(jobState(id, 0)).isEqualTo(JobState.READY);
  }

  @Test
  void aStepThatEndedDuringThePauseContinuesAfterResume() {
    RunId id = start(chain(2));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    pause(id);
    worker.succeed(running);
    settle();
    resume(id);
    settle();

    assertThat(row(id).steps()).isEqualTo("SA");
  }

  @Test
  void aFailingRunThatIsPausedAndResumedKeepsTheReasonOfItsFailure() {
    RunId id = start(chain(2));
    succeedOne();
    planner.script((facts, data) ->
        ScriptedPlanner.applied(facts)
            .phase(RunPhase.COMPENSATE)
            .reason("STEP_FAILED: x")
            .job(1)
            .build());
    advance(id);
    pause(id);
    resume(id);

    assertThat(row(id).reason()).isEqualTo("STEP_FAILED: x");
    assertThat(jobState(id, 1)).isEqualTo(JobState.READY);
  }

  @Test
  void aPlanThatPausesTheRunHoldsItsJobs() {
    RunId id = start(chain(2).first(plan -> plan.job(0).job(1)));
    Worker worker = worker();
    ClaimedJob first = worker.claimOne();
    worker.failPermanently(first);
    planner.script((facts, data) ->
        new PlanDraft(facts).state(RunState.PAUSED).reason("a step failed").build());
    advance(id);

    int other = first.step() != null && first.step().step() == 0 ? 1 : 0;
    assertThat(jobState(id, other)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void aPlanThatPausesTheRunPausesItsChildRuns() {
    RunDraft child = chain(1);
    RunId parent = start(chain(2).first(plan -> plan.child(0, child)));
    runs.control().signal(parent, new RunIntake.NewSignal("go", "1", null));
    planner.script((facts, data) ->
        new PlanDraft(facts).state(RunState.PAUSED).reason("a step failed").build());
    advance(parent);

    assertThat(runState(child.id())).isEqualTo(RunState.PAUSED);
    assertThat(jobState(child.id(), 0)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void aChildThatIsStoppedWhileItIsAdvancedIsCancelled() {
    RunDraft child = chain(2).first(plan -> plan.job(0).job(1));
    RunId parent = start(chain(1).first(plan -> plan.child(0, child)));
    runs.control().signal(parent, new RunIntake.NewSignal("go", "1", null));
    runs.control().signal(child.id(), new RunIntake.NewSignal("go", "1", null));
    planner.script((facts, data) ->
        facts.id().equals(parent)
            ? new PlanDraft(facts).stop(0).build()
            : new PlanDraft(facts).build());
    advance(parent, child.id());

    assertThat(runState(child.id())).isEqualTo(RunState.CANCELLING);
    assertThat(row(child.id()).phase()).isEqualTo(RunPhase.STOPPING);
  }

  @Test
  void pauseAndResumeCascadeToChildRuns() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 1);
    pause(parent);

    assertThat(runState(child.id())).isEqualTo(RunState.PAUSED);
    assertThat(jobState(child.id(), 0)).isEqualTo(JobState.ON_HOLD);

    assertThat(resume(parent).look()).containsExactlyInAnyOrder(parent, child.id());
    assertThat(runState(child.id())).isEqualTo(RunState.RUNNING);
    assertThat(jobState(child.id(), 0)).isEqualTo(JobState.READY);
  }

  @Test
  void whatTheStateOfARunDoesNotAllowIsNotDone() {
    RunId id = start(chain(1));

    assertThat(resume(id).done()).isFalse();
    assertThat(resume(id).before()).contains(RunState.RUNNING);
    pause(id);
    assertThat(pause(id).done()).isFalse();
    cancel(id);
    assertThat(cancel(id).done()).isFalse();
    assertThat(pause(id).before()).contains(RunState.CANCELLING);
    settle();
    assertThat(cancel(id).done()).isFalse();
    assertThat(cancel(id).before()).contains(RunState.CANCELLED);
    assertThat(cancel(UNKNOWN).before()).isEqualTo(Optional.empty());
    assertThat(pause(UNKNOWN).done()).isFalse();
  }

  @Test
  void cancelEndsWhatHasNotStarted() {
    RunId id =
        start(
            chain(4)
                .first(plan ->
                    plan.job(0)
                        .job(1, job().dueIn(Duration.ofHours(1)))
                        .timer(-1, RunMark.Kind.DEADLINE, Duration.ofMinutes(1))));

    RunControl.Result result = cancel(id);

    assertThat(result.done()).isTrue();
    assertThat(result.look()).containsExactly(id);
    assertThat(runState(id)).isEqualTo(RunState.CANCELLING);
    assertThat(row(id).phase()).isEqualTo(RunPhase.STOPPING);
    assertThat(jobState(id, 0)).isEqualTo(JobState.CANCELLED);
    assertThat(jobState(id, 1)).isEqualTo(JobState.CANCELLED);
    assertThat(resultOf(id, 0).outcome()).isEqualTo(StepState.CANCELLED);
    assertThat(details(id).timers()).isEmpty();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.CANCELLED);
    assertThat(row(id).steps()).isEqualTo("CCKK");
  }

  @Test
  void cancelEndsTheJobsOfAPausedRun() {
    RunId id = start(chain(1));
    pause(id);
    cancel(id);

    assertThat(jobState(id, 0)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void cancelRequestsTheCancellationOfWhatRuns() {
    RunId id = start(chain(2));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();

    assertThat(cancel(id).stopping()).containsExactly(worker.incarnation());

    assertThat(jobOf(id, 0).cancelRequested()).isTrue();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.CANCELLING);
    worker.finish(new Finish.Cancelled(running.claim()));
    settle();
    assertThat(runState(id)).isEqualTo(RunState.CANCELLED);
  }

  @Test
  void aRetryInARunThatIsBeingCancelledEndsTheJob() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    cancel(id);

    assertThat(worker.retryIn(running, Duration.ZERO)).isEqualTo(Result.CANCELLED_INSTEAD);
    assertThat(resultOf(id, 0).outcome()).isEqualTo(StepState.CANCELLED);
  }

  @Test
  void cancelLeavesCompensationsAndFinallyStepsAlone() {
    RunId id = start(chain(2));
    succeedOne();
    planner.script(
        (facts, data) -> ScriptedPlanner.applied(facts).phase(RunPhase.COMPENSATE).job(1).build());
    advance(id);
    pause(id);
    cancel(id);

    assertThat(runState(id)).isEqualTo(RunState.CANCELLING);
    assertThat(row(id).phase()).isEqualTo(RunPhase.COMPENSATE);
    assertThat(jobState(id, 1)).isEqualTo(JobState.READY);
  }

  @Test
  void cancelCascadesToChildRuns() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 1);

    assertThat(cancel(parent).look()).containsExactlyInAnyOrder(parent, child.id());

    assertThat(runState(child.id())).isEqualTo(RunState.CANCELLING);
    assertThat(jobState(child.id(), 0)).isEqualTo(JobState.CANCELLED);
    settle();
    assertThat(runState(child.id())).isEqualTo(RunState.CANCELLED);
    assertThat(runState(parent)).isEqualTo(RunState.CANCELLED);
    assertThat(row(parent).steps()).isEqualTo("C");
  }

  @Test
  void aQueuedRunThatIsCancelledEndsAtOnce() {
    start(chain(1).gate("g", 1, OnFull.QUEUE));
    RunId queued = start(chain(1).gate("g", 1, OnFull.QUEUE));

    assertThat(cancel(queued).before()).contains(RunState.QUEUED);

    assertThat(runState(queued)).isEqualTo(RunState.CANCELLED);
    succeedOne();
    settle();
    assertThat(runState(queued)).isEqualTo(RunState.CANCELLED);
  }
}
