package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started.Outcome;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Graphs, starts of runs, unique keys, and limits on active runs. */
public abstract class RunIntakeContract extends RunContract {

  @Test
  void aGraphIsStoredOnceAndFoundByItsHash() {
    assertThat(define("hash-1", RunDraft.WORKFLOW)).isEqualTo(definition);
    int other = define("hash-2", RunDraft.WORKFLOW);

    assertThat(other).isNotEqualTo(definition);
    assertThat(runs.definitions().find(List.of("hash-2", "unknown")))
        .containsExactly(
            new Stored(
                other, new Definition("hash-2", RunDraft.WORKFLOW, 1, "{\"graph\":\"hash-2\"}")));
  }

  @Test
  void theVersionsOfAWorkflowAreListedLatestFirst() {
    int second = define("hash-2", RunDraft.WORKFLOW);
    define("hash-3", "another");

    assertThat(runs.definitions().versions(RunDraft.WORKFLOW))
        .extracting(Stored::id)
        .containsExactly(second, definition);
  }

  @Test
  void aStoredGraphThatIsRegisteredAgainDoesNotBecomeTheLatest() {
    int second = define("hash-2", RunDraft.WORKFLOW);
    assertThat(define("hash-1", RunDraft.WORKFLOW)).isEqualTo(definition);

    assertThat(runs.definitions().versions(RunDraft.WORKFLOW))
        .extracting(Stored::id)
        .containsExactly(second, definition);
  }

  @Test
  void theNamesOfWorkflowsAreListedOnceInAlphabeticalOrder() {
    define("hash-2", RunDraft.WORKFLOW);
    define("hash-3", "zz::last");
    define("hash-4", "aa::first");

    assertThat(runs.definitions().names())
        .containsExactly("aa::first", RunDraft.WORKFLOW, "zz::last");
  }

  @Test
  void workflowsAreListedByNameWithTheirLatestVersion() {
    define("hash-3", "b-other");
    int second = define("hash-2", RunDraft.WORKFLOW);
    int last = define("hash-4", "zz::last");

    List<Stored> all = runs.definitions().latest(null, 10);
    assertThat(all).extracting(stored -> stored.definition().name()).isSorted().hasSize(3);
    assertThat(all).extracting(Stored::id).contains(second, last).doesNotContain(definition);
    assertThat(runs.definitions().latest(all.get(1).definition().name(), 10))
        .containsExactly(all.get(2));
    assertThat(runs.definitions().latest(null, 1)).containsExactly(all.getFirst());
  }

  @Test
  void aStartCreatesTheRunAndTheJobsOfItsFirstPlan() {
    RunId id = start(chain(2));

    RunRow row = row(id);
    assertThat(row.state()).isEqualTo(RunState.RUNNING);
    assertThat(row.steps()).isEqualTo("A.");
    assertThat(row.hash()).isEqualTo("hash-1");
    assertThat(row.input()).isEqualTo("{\"order\":7}");
    assertThat(row.label()).isEqualTo("Order 7");
    assertThat(row.endedAt()).isNull();
    assertThat(worker().claimOne().step()).isEqualTo(new StepRef(id, 0, StepRef.NO_ITEM));
  }

  @Test
  void aRepeatedStartCreatesNothing() {
    RunDraft draft = chain(1);
    start(draft);

    assertThat(admit(draft.repeated()))
        .isEqualTo(new Admission(draft.id(), Outcome.EXISTING, false));

    assertThat(worker().claim(PLENTY)).hasSize(1);
  }

  @Test
  void aRepeatedStartOfARunThatEndedCreatesNothing() {
    RunDraft draft = chain(1);
    RunId id = start(draft);
    succeedOne();
    advance(id);

    assertThat(admit(draft.repeated()).outcome()).isEqualTo(Outcome.EXISTING);
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aKeyThatIsTakenWhileActiveReturnsTheOpenRun() {
    RunId first = start(chain(1).unique(UniqueKey.whileActive("k")));

    assertThat(admit(chain(1).unique(UniqueKey.whileActive("k"))))
        .isEqualTo(new Admission(first, Outcome.EXISTING, false));
    assertThat(runs.queries().findActive(RunDraft.WORKFLOW, "k")).contains(first);

    succeedOne();
    advance(first);
    assertThat(runs.queries().findActive(RunDraft.WORKFLOW, "k")).isEmpty();
    assertThat(admit(chain(1).unique(UniqueKey.whileActive("k"))).outcome())
        .isEqualTo(Outcome.CREATED);
  }

  @Test
  void aKeyWithAWindowReturnsTheRunEvenIfItHasEnded() {
    UniqueKey key = UniqueKey.within("k", Duration.ofHours(1));
    RunId first = start(chain(1).unique(key));
    succeedOne();
    advance(first);

    assertThat(admit(chain(1).unique(key)))
        .isEqualTo(new Admission(first, Outcome.EXISTING, false));

    passTime(Duration.ofHours(2));
    assertThat(admit(chain(1).unique(key)).outcome()).isEqualTo(Outcome.CREATED);
  }

  @Test
  void keysBelongToAWorkflow() {
    start(chain(1).unique(UniqueKey.whileActive("k")));

    assertThat(admit(chain(1).workflow("another").unique(UniqueKey.whileActive("k"))).outcome())
        .isEqualTo(Outcome.CREATED);
  }

  @Test
  void aTakenKeyThatSpecifiesFailingFails() {
    RunId first = start(chain(1).unique(UniqueKey.whileActive("k")));
    RunDraft second = chain(1).unique(UniqueKey.whileActive("k").onConflict(OnConflict.FAIL));

    assertThatThrownBy(() -> admit(second))
        .isInstanceOf(DuplicateJobException.class)
        .hasMessageContaining(first.toString());
    assertThat(runs.queries().find(second.id())).isEmpty();
  }

  @Test
  void aRunTakesOverTheResultsOfItsOrigin() {
    RunId id =
        start(
            chain(2)
                .inherit(
                    new RunPlan.Result(0, StepRef.NO_ITEM, StepState.SUCCEEDED, "\"kept\"", null))
                .first(plan -> plan.letter(0, StepState.SUCCEEDED).job(1)));

    assertThat(resultOf(id, 0).output()).isEqualTo("\"kept\"");
    assertThat(row(id).steps()).isEqualTo("SA");
  }

  @Test
  void aFullGateQueuesARunUntilAnotherOneHasEnded() {
    RunId active = start(chain(1).gate("g", 1, OnFull.QUEUE));
    RunDraft waiting = chain(2).gate("g", 1, OnFull.QUEUE);

    assertThat(admit(waiting)).isEqualTo(new Admission(waiting.id(), Outcome.CREATED, true));
    assertThat(runState(waiting.id())).isEqualTo(RunState.QUEUED);
    assertThat(row(waiting.id()).steps()).isEqualTo("..");
    assertThat(runs.advance().marked(PLENTY)).isEmpty();
    assertThat(advance(waiting.id()).advanced()).isZero();

    assertThat(succeedOne().step()).isEqualTo(new StepRef(active, 0, StepRef.NO_ITEM));
    settle();
    assertThat(runState(active)).isEqualTo(RunState.SUCCEEDED);
    assertThat(runState(waiting.id())).isEqualTo(RunState.RUNNING);
    assertThat(row(waiting.id()).steps()).isEqualTo("A.");
    assertThat(jobState(waiting.id(), 0)).isEqualTo(JobState.READY);
  }

  @Test
  void aGateLetsTheOldestQueuedRunThroughFirst() {
    start(chain(1).gate("g", 1, OnFull.QUEUE));
    RunId second = start(chain(1).gate("g", 1, OnFull.QUEUE));
    RunId third = start(chain(1).gate("g", 1, OnFull.QUEUE));

    succeedOne();
    settle();

    assertThat(runState(second)).isEqualTo(RunState.RUNNING);
    assertThat(runState(third)).isEqualTo(RunState.QUEUED);
  }

  @Test
  void aGateCountsOnlyRunsWithItsKey() {
    start(chain(1).gate("g", 1, OnFull.QUEUE));

    assertThat(admit(chain(1).gate("h", 1, OnFull.QUEUE)).queued()).isFalse();
    assertThat(admit(chain(1).workflow("another").gate("g", 1, OnFull.QUEUE)).queued()).isFalse();
  }

  @Test
  void aFullGateThatSkipsCreatesNothingAndReturnsTheActiveRun() {
    RunId active = start(chain(1).gate("g", 1, OnFull.SKIP));
    RunDraft skipped = chain(1).gate("g", 1, OnFull.SKIP);

    assertThat(admit(skipped)).isEqualTo(new Admission(active, Outcome.SKIPPED, false));
    assertThat(runs.queries().find(skipped.id())).isEmpty();
    assertThat(runs.queries().count(RunFilter.all()).byState()).containsOnlyKeys(RunState.RUNNING);
  }

  @Test
  void aFullGateThatReplacesCancelsTheActiveAndTheQueuedRuns() {
    RunId active = start(chain(1).gate("g", 1, OnFull.QUEUE));
    RunId queued = start(chain(1).gate("g", 1, OnFull.QUEUE));
    RunDraft latest = chain(1).gate("g", 1, OnFull.REPLACE);

    assertThat(admit(latest)).isEqualTo(new Admission(latest.id(), Outcome.CREATED, true));
    assertThat(runState(active)).isEqualTo(RunState.CANCELLING);
    assertThat(runState(queued)).isEqualTo(RunState.CANCELLED);

    settle();
    assertThat(runState(active)).isEqualTo(RunState.CANCELLED);
    assertThat(runState(latest.id())).isEqualTo(RunState.RUNNING);
    assertThat(succeedOne().step()).isEqualTo(new StepRef(latest.id(), 0, StepRef.NO_ITEM));
  }

  @Test
  void aRunThatReplacesOthersNamesTheHoldersOfTheirJobs() {
    start(chain(1).gate("g", 1, OnFull.QUEUE));
    Worker holder = worker();
    holder.claimOne();

    Admission admission = admit(chain(1).gate("g", 1, OnFull.REPLACE));

    assertThat(admission.queued()).isTrue();
    assertThat(admission.stopping()).containsExactly(holder.incarnation());
  }

  @Test
  void whereARunComesFromIsKeptAndReachesThePlanner() {
    RunSource source = new RunSource("blue", "{\"schedule\":{\"name\":\"nightly\"}}");
    RunId id =
        start(
            chain(1)
                .source(source)
                .first(plan ->
                    plan.letter(0, StepState.WAITING).timer(0, RunMark.Kind.SLEPT, Duration.ZERO)));
    assertThat(row(id).source()).isEqualTo(source);

    assertThat(runs.advance().fireTimers(PLENTY).fired()).containsExactly(id);
    settle();

    assertThat(planner.lastFacts().source()).isEqualTo(source);
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    assertThat(row(id).source()).isEqualTo(source);
    assertThat(runs.queries().list(RunFilter.all(), null, PLENTY))
        .extracting(RunRow::source)
        .containsExactly(source);
  }

  @Test
  void whereARunComesFromIsKeptWhenItIsRetried() {
    RunSource source = new RunSource("blue", "{\"event\":{\"name\":\"paid\"}}");
    RunId id = start(chain(1).source(source));
    failOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);

    runs.control().retry(id, (graph, letters) -> ".");
    settle();

    assertThat(planner.lastFacts().source()).isEqualTo(source);
  }
}
