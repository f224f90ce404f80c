package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.LargePayload;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunFacts.FormerJob;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Large payloads of steps, which are stored once for each run. */
public abstract class RunPayloadContract extends RunContract {
  private static final String LARGE = "\"" + "x".repeat(LargePayload.LONGEST_IN_JOB) + "\"";
  private static final String OTHER = "\"" + "é".repeat(LargePayload.LONGEST_IN_JOB) + "\"";
  private static final String SMALL = "\"" + "x".repeat(100) + "\"";

  private static JobDraft job(String payload) {
    return new JobDraft().payload(payload);
  }

  private RunId startSharing(String... payloads) {
    return start(
        chain(payloads.length)
            .first(plan -> {
              PlanDraft draft = plan;
              for (int step = 0; step < payloads.length; step++) {
                draft = draft.job(step, job(payloads[step]));
              }
              return draft;
            }));
  }

  @Test
  void everyJobGetsItsPayload() {
    RunId id = startSharing(LARGE, OTHER, SMALL, LARGE);

    List<ClaimedJob> claimed = worker().claim(PLENTY);

    assertThat(claimed)
        .extracting(ClaimedJob::payload)
        .containsExactlyInAnyOrder(LARGE, OTHER, SMALL, LARGE);
    assertThat(jobOf(id, 1).payload()).contains(OTHER);
    assertThat(jobOf(id, 3).payload()).contains(LARGE);
  }

  @Test
  void aLargePayloadCountsOnceTowardsTheSizeOfItsRun() {
    RunId id = startSharing(LARGE, OTHER, SMALL, LARGE);

    // Two bytes for each é.
    assertThat(row(id).bytes()).isEqualTo(LARGE.length() + 2L * OTHER.length() - 2);
  }

  @Test
  void aLargePayloadOfAnAdvanceCountsWithTheOutputs() {
    RunId id = start(chain(2).first(plan -> plan.job(0, job(LARGE))));
    planner.script((facts, data) ->
        facts.steps().endsWith(".")
            ? ScriptedPlanner.applied(facts).job(1, job(LARGE)).build()
            : ScriptedPlanner.chain(facts).build());
    succeedOne();
    advance(id);

    assertThat(row(id).bytes()).isEqualTo(LARGE.length() + "\"done\"".length());
    assertThat(worker().claimOne().payload()).isEqualTo(LARGE);
  }

  @Test
  void anEndedJobShowsItsPayload() {
    startSharing(LARGE, LARGE);
    ClaimedJob succeeded = succeedOne();
    ClaimedJob failed = failOne();

    for (ClaimedJob job : List.of(succeeded, failed)) {
      Job ended = find(job.id());
      assertThat(ended.state()).isIn(JobState.SUCCEEDED, JobState.FAILED);
      assertThat(ended.payload()).contains(LARGE);
    }
  }

  @Test
  void aRetriedStepFindsThePayloadOfItsFormerJob() {
    RunId id = start(chain(1).first(plan -> plan.job(0, job(LARGE))));
    ClaimedJob failed = failOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);
    planner.script((facts, data) ->
        facts.former().isEmpty()
            ? ScriptedPlanner.chain(facts).build()
            : ScriptedPlanner.applied(facts).job(0, job(LARGE).id(failed.id())).build());

    runs.control().retry(id, (graph, letters) -> letters.replace('F', '.'));
    advance(id);

    assertThat(planner.lastFacts().former())
        .isEqualTo(Map.of(0, new FormerJob(failed.id(), failed.task(), LARGE)));
    ClaimedJob again = worker().claimOne();
    assertThat(again.id()).isEqualTo(failed.id());
    assertThat(again.payload()).isEqualTo(LARGE);
    assertThat(row(id).bytes()).isEqualTo(LARGE.length());
  }

  @Test
  void aJobWithALargePayloadIsNotPartOfAnExpressPlan() {
    RunId id = start(chain(2));

    assertThat(RunAdvance.Express.isExpress(new PlanDraft(id, 2).job(1, job(LARGE)).build()))
        .isFalse();
    assertThat(RunAdvance.Express.isExpress(new PlanDraft(id, 2).job(1, job(SMALL)).build()))
        .isTrue();
  }
}
