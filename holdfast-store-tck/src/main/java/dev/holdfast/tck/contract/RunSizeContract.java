package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunData;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The size of the outputs of a run, and how a retry changes it. */
public abstract class RunSizeContract extends RunContract {
  private static final long DONE = "\"done\"".length();
  private static final RunData.Failure TOO_LARGE =
      new RunData.Failure(RunData.Failure.RUN_TOO_LARGE, "too large");

  private RunControl.Result retry(RunId id, String letters) {
    return runs.control().retry(id, (graph, before) -> letters);
  }

  /** Fails the run because of a step whose job succeeded. */
  private void failAsTooLarge(RunId id, int step) {
    planner.script((facts, data) ->
        ScriptedPlanner.applied(facts).fail(step, TOO_LARGE).end(RunState.FAILED, null).build());
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);
    planner.script((facts, data) -> ScriptedPlanner.chain(facts).build());
  }

  @Test
  void aStepThatFailsAlthoughItsJobSucceededHasTheFailureAndNoOutput() {
    RunId id = start(chain(1));
    ClaimedJob job = succeedOne();

    failAsTooLarge(id, 0);

    assertThat(resultOf(id, 0).outcome()).isEqualTo(StepState.FAILED);
    assertThat(resultOf(id, 0).failure()).isEqualTo(TOO_LARGE);
    assertThat(resultOf(id, 0).output()).isNull();
    assertThat(resultOf(id, 0).job()).isEqualTo(job.id());
    assertThat(resultOf(id, 0).attempt()).isEqualTo(1);
  }

  @Test
  void anOutputThatARetryDeletesNoLongerCounts() {
    RunId id = start(chain(2));
    succeedOne();
    settle();
    succeedOne();
    failAsTooLarge(id, 1);
    assertThat(row(id).bytes()).isEqualTo(2 * DONE);

    assertThat(retry(id, "S.").done()).isTrue();

    assertThat(row(id).bytes()).isEqualTo(DONE);
    settle();
    succeedOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    assertThat(row(id).bytes()).isEqualTo(2 * DONE);
  }

  @Test
  void aStepThatSucceededAndRunsAgainCountsOnce() {
    RunId id = start(chain(2));
    succeedOne();
    settle();
    failOne();
    settle();

    assertThat(retry(id, "..").done()).isTrue();

    assertThat(row(id).bytes()).isZero();
    settle();
    succeedOne();
    settle();
    assertThat(row(id).bytes()).isEqualTo(DONE);
  }

  @Test
  void anOutputWhoseMarkIsNotAppliedYetCountsOnce() {
    RunId id = start(chain(3).first(plan -> plan.job(0).job(1).job(2)));
    failOne();
    settle();
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();
    pause(id);
    worker.succeed(running);

    assertThat(retry(id, row(id).steps().replace('F', '.')).done()).isTrue();

    settle();
    assertThat(row(id).bytes()).isEqualTo(DONE);
  }

  @Test
  void theElementsOfAMapThatARetryKeepsCount() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 3, 0, 3)));
    succeedOne();
    succeedOne();
    failOne();
    settle();

    assertThat(retry(id, ".").done()).isTrue();

    settle();
    assertThat(row(id).bytes()).isEqualTo(2 * DONE);
    succeedOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    assertThat(row(id).bytes()).isEqualTo(3 * DONE);
  }

  @Test
  void aMapThatWasTooLargeStartsFromTheBeginning() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 3, 0, 3)));
    succeedOne();
    succeedOne();
    failOne();
    failAsTooLarge(id, 0);

    assertThat(retry(id, ".").done()).isTrue();

    assertThat(row(id).steps()).isEqualTo(".");
    assertThat(row(id).bytes()).isZero();
    assertThat(details(id).maps()).isEqualTo(Map.of());
    assertThat(runs.queries().results(id)).isEmpty();
  }
}
