package dev.holdfast.tck.contract;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunControl.Move;
import dev.holdfast.engine.store.RunControl.MovedJobs;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts.FormerJob;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Retrying and moving runs, and what can be done to the jobs of their steps. */
public abstract class RunRetryContract extends RunContract {

  /** Opens the failed, cancelled and skipped steps again. */
  private RunControl.Result retry(RunId id) {
    return runs.control().retry(id, (graph, letters) -> letters.replaceAll("[FCK]", "."));
  }

  private List<RunEvent.Kind> eventsOf(RunId id, int step) {
    return runs.queries().events(id, 0, PLENTY).stream()
        .map(RunQueries.StoredEvent::event)
        .filter(event -> event.step() == step)
        .map(RunPlan.Event::kind)
        .toList();
  }

  /** A run of which step 0 succeeded and step 1 failed. */
  private RunId startFailed() {
    RunId id = start(chain(2));
    succeedOne();
    settle();
    failOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);
    return id;
  }

  @Test
  void retryReopensAFailedRunAndKeepsResults() {
    RunId id = startFailed();

    RunControl.Result result = retry(id);

    assertThat(result.done()).isTrue();
    assertThat(result.before()).contains(RunState.FAILED);
    assertThat(result.look()).containsExactly(id);
    assertThat(row(id).state()).isEqualTo(RunState.RUNNING);
    assertThat(row(id).reason()).isNull();
    assertThat(row(id).endedAt()).isNull();
    assertThat(row(id).steps()).isEqualTo("S.");
    assertThat(resultOf(id, 0).output()).isEqualTo("\"done\"");
    assertThat(hasResult(id, 1)).isFalse();
    settle();
    assertThat(succeedOne().step()).isEqualTo(new StepRef(id, 1, StepRef.NO_ITEM));
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    assertThat(resultOf(id, 1).outcome()).isEqualTo(StepState.SUCCEEDED);
  }

  private static final JournalEntry ENTRY =
      new JournalEntry(new EntryKey("charge", 1), EntryKind.RUN, "\"receipt\"");

  /** Claims the next job and writes an entry to its journal. */
  private ClaimedJob claimAndJournal(Worker worker) {
    ClaimedJob job = worker.claimOne();
    assertThat(store.journals().append(worker.incarnation(), job.claim(), ENTRY)).isTrue();
    return job;
  }

  @Test
  void aRetriedStepContinuesWithItsJobAndItsJournal() {
    RunId id = start(chain(2));
    succeedOne();
    settle();
    Worker worker = worker();
    ClaimedJob failed = claimAndJournal(worker);
    worker.failPermanently(failed);
    settle();
    retry(id);
    assertThat(hasResult(id, 1)).isFalse();
    settle();

    assertThat(planner.lastFacts().former())
        .isEqualTo(Map.of(1, new FormerJob(failed.id(), failed.task(), failed.payload())));
    assertThat(count(JobFilter.all(), JobState.FAILED)).isZero();
    assertThat(jobOf(id, 1).failures()).hasSize(1);
    ClaimedJob again = worker.claimOne();
    assertThat(again.id()).isEqualTo(failed.id());
    assertThat(again.step()).isEqualTo(failed.step());
    assertThat(again.token()).isGreaterThan(failed.token());
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(store.journals().load(again.id())).containsExactly(ENTRY);
    assertThat(store.journals().append(worker.incarnation(), failed.claim(), ENTRY)).isFalse();
    worker.succeed(failed);
    assertThat(jobState(id, 1)).isEqualTo(JobState.RUNNING);
    worker.succeed(again);
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aStepThatStartsAgainWithAnotherJobLeavesTheDeadLetterQueue() {
    RunId id = startFailed();
    JobId failed = jobOf(id, 1).id();
    retry(id);
    planner.script((facts, data) -> ScriptedPlanner.applied(facts).job(1).build());
    settle();

    assertThat(count(JobFilter.all(), JobState.FAILED)).isZero();
    assertThat(jobOf(id, 1).id()).isNotEqualTo(failed);
    assertThat(succeedOne().token()).isEqualTo(firstToken() + 1);
  }

  @Test
  void aCancelledStepKeepsItsJournalWhenItIsRetried() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob cancelled = claimAndJournal(worker);
    cancel(id);
    worker.finish(new Finish.Cancelled(cancelled.claim()));
    settle();
    assertThat(runState(id)).isEqualTo(RunState.CANCELLED);
    retry(id);
    settle();

    ClaimedJob again = worker.claimOne();
    assertThat(again.step()).isEqualTo(cancelled.step());
    assertThat(again.token()).isGreaterThan(cancelled.token());
    assertThat(store.journals().load(again.id())).containsExactly(ENTRY);
    assertThat(count(JobFilter.all(), JobState.FAILED)).isZero();
  }

  @Test
  void theJobOfAFailedStepFollowsItsStepWhenTheRunIsMoved() {
    RunId id = startFailed();
    JobId failed = jobOf(id, 1).id();
    retry(id);
    int other = define("hash-2", RunDraft.WORKFLOW);

    assertThat(runs.control().move(id, moveTo("S.", other, "S..", Map.of(0, 0, 2, 1))).done())
        .isTrue();

    planner.script((facts, data) -> ScriptedPlanner.applied(facts).build());
    settle();
    assertThat(planner.lastFacts().former())
        .containsOnlyKeys(2)
        .hasEntrySatisfying(2, former -> assertThat(former.id()).isEqualTo(failed));
  }

  @Test
  void retryReopensACancelledRun() {
    RunId id = start(chain(2));
    cancel(id);
    settle();
    retry(id);
    settle();

    assertThat(row(id).steps()).isEqualTo("A.");
    assertThat(jobState(id, 0)).isEqualTo(JobState.READY);
  }

  @Test
  void retryContinuesAPausedRun() {
    RunId id = start(chain(2).first(plan -> plan.job(0).job(1)));
    Worker worker = worker();
    worker.failPermanently(worker.claimOne());
    pause(id);
    planner.script((facts, data) -> ScriptedPlanner.applied(facts).build());
    settle();
    planner.script((facts, data) -> ScriptedPlanner.chain(facts).build());

    assertThat(retry(id).done()).isTrue();

    assertThat(runState(id)).isEqualTo(RunState.RUNNING);
    assertThat(worker.claim(PLENTY)).hasSize(1);
  }

  @Test
  void aRunThatSucceededOrRunsIsNotRetried() {
    RunId id = start(chain(1));
    assertThat(retry(id).done()).isFalse();
    succeedOne();
    settle();

    assertThat(retry(id).done()).isFalse();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void retryOfAChildAloneIsRefused() {
    RunDraft child = chain(1);
    startParentOf(child, 1);
    failOne();
    settle();

    assertThat(retry(child.id()).done()).isFalse();
    assertThat(runState(child.id())).isEqualTo(RunState.FAILED);
  }

  @Test
  void retryReopensTheFailedChildOfAStep() {
    RunDraft child = chain(2);
    RunId parent = startParentOf(child, 1);
    succeedOne();
    settle();
    failOne();
    settle();
    assertThat(runState(parent)).isEqualTo(RunState.FAILED);

    assertThat(retry(parent).look()).contains(child.id());

    assertThat(runState(child.id())).isEqualTo(RunState.RUNNING);
    assertThat(row(child.id()).steps()).isEqualTo("S.");
    assertThat(row(parent).steps()).isEqualTo("A");
    assertThat(eventsOf(parent, 0))
        .endsWith(RunEvent.Kind.STEP_RETRIED, RunEvent.Kind.STEP_STARTED);
    settle();
    succeedOne();
    settle();
    assertThat(runState(parent)).isEqualTo(RunState.SUCCEEDED);
    assertThat(runs.control().children(parent)).containsExactly(child.id());
  }

  @Test
  void retryRunsOnlyTheFailedJobsOfAMapAgain() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 3, 0, 3)));
    Worker worker = worker();
    List<ClaimedJob> jobs = worker.claim(3);
    worker.succeed(jobs.get(0));
    worker.failPermanently(jobs.get(1));
    store.control().cancel(jobs.get(2).id());
    worker.retryIn(jobs.get(2), Duration.ZERO);
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);
    retry(id);
    assertThat(eventsOf(id, 0)).endsWith(RunEvent.Kind.STEP_RETRIED, RunEvent.Kind.STEP_STARTED);
    settle();

    List<ClaimedJob> again = worker.claim(PLENTY);
    assertThat(again)
        .extracting(ClaimedJob::step)
        .containsExactlyInAnyOrder(jobs.get(1).step(), jobs.get(2).step());
    again.forEach(worker::succeed);
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    assertThat(details(id).maps()).isEqualTo(Map.of(0, new MapCounts(3, 3, 3, 0, 0)));
  }

  @Test
  void aRetriedElementOfAMapContinuesWithItsJobAndItsJournal() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 2, 0, 2)));
    Worker worker = worker();
    ClaimedJob failed = claimAndJournal(worker);
    ClaimedJob cancelled = claimAndJournal(worker);
    worker.failPermanently(failed);
    store.control().cancel(cancelled.id());
    worker.retryIn(cancelled, Duration.ZERO);
    settle();
    retry(id);
    settle();

    assertThat(count(JobFilter.all(), JobState.FAILED)).isZero();
    Map<StepRef, ClaimedJob> again =
        worker.claim(PLENTY).stream()
            .collect(toMap(job -> Objects.requireNonNull(job.step()), job -> job));
    for (ClaimedJob before : List.of(failed, cancelled)) {
      ClaimedJob after = Objects.requireNonNull(again.get(before.step()));
      assertThat(after.token()).isGreaterThan(before.token());
      assertThat(after.attempt()).isEqualTo(1);
      assertThat(after.payload()).isEqualTo(before.payload());
      assertThat(store.journals().load(after.id())).containsExactly(ENTRY);
      assertThat(store.journals().append(worker.incarnation(), before.claim(), ENTRY)).isFalse();
    }
    assertThat(again.values()).extracting(ClaimedJob::id).contains(failed.id());
    assertThat(find(failed.id()).failures()).hasSize(1);
    again.values().forEach(worker::succeed);
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
  }

  /** Opens failed steps again, which have to wait for another step. */
  private static final RunControl.Reset AFTER_ANOTHER_STEP =
      new RunControl.Reset() {
        @Override
        public String steps(int graph, String letters) {
          return letters.replace('F', '.');
        }

        @Override
        public boolean continues(int graph, int step, String letters) {
          return false;
        }
      };

  @Test
  void aMapThatHasToWaitStartsFromTheBeginning() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 2, 0, 2)));
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    worker.failPermanently(worker.claimOne());
    settle();

    assertThat(runs.control().retry(id, AFTER_ANOTHER_STEP).done()).isTrue();

    assertThat(row(id).steps()).isEqualTo(".");
    assertThat(details(id).maps()).isEmpty();
    assertThat(runs.queries().results(id)).isEmpty();
    assertThat(worker.claim(PLENTY)).isEmpty();
    assertThat(eventsOf(id, 0)).endsWith(RunEvent.Kind.STEP_RETRIED);
  }

  @Test
  void aChildRunThatHasToWaitIsNotContinued() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 1);
    failOne();
    settle();

    assertThat(runs.control().retry(parent, AFTER_ANOTHER_STEP).look()).containsExactly(parent);

    assertThat(row(parent).steps()).isEqualTo(".");
    assertThat(runState(child.id())).isEqualTo(RunState.FAILED);
  }

  private static final RunControl.Reset WITHIN_A_MINUTE =
      new RunControl.Reset() {
        @Override
        public String steps(int graph, String letters) {
          return letters.replace('F', '.');
        }

        @Override
        public Optional<Duration> timeout(int graph, int step) {
          return Optional.of(Duration.ofMinutes(1));
        }
      };

  private void assertTimesOut(RunId id) {
    assertThat(runs.control().retry(id, WITHIN_A_MINUTE).done()).isTrue();
    assertThat(row(id).steps()).isEqualTo("A");
    assertThat(runs.advance().fireTimers(PLENTY).fired()).isEmpty();

    passTime(Duration.ofMinutes(2));
    assertThat(runs.advance().fireTimers(PLENTY).fired()).contains(id);
    advance(id);
    assertThat(planner.lastFacts().marks()).contains(RunMark.of(RunMark.Kind.TIMED_OUT, 0));
  }

  @Test
  void aMapThatIsRetriedHasANewTimeout() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 1, 0, 1)));
    failOne();
    settle();

    assertTimesOut(id);
  }

  @Test
  void aChildRunThatIsRetriedHasANewTimeout() {
    RunId id = startParentOf(chain(1), 1);
    failOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.FAILED);

    assertTimesOut(id);
  }

  private static final RunData.Failure LATE = new RunData.Failure("STEP_TIMED_OUT", "too late");

  /** Starts a map with two elements, whose jobs run. */
  private RunId startMapWithTimeout() {
    return start(
        chain(1)
            .first(plan ->
                plan.map(0, 2, 0, 2).timer(0, RunMark.Kind.TIMED_OUT, Duration.ofMinutes(1))));
  }

  /** Lets the timeout of step 0 pass, which fails and leaves the run in this state. */
  private void timeOut(RunId id, RunState then) {
    planner.script((facts, data) -> {
      PlanDraft plan = new PlanDraft(facts).fail(0, LATE).stop(0);
      return (then.hasEnded() ? plan.end(then, null) : plan.state(then)).build();
    });
    passTime(Duration.ofMinutes(2));
    assertThat(runs.advance().fireTimers(PLENTY).fired()).contains(id);
    advance(id);
    assertThat(runState(id)).isEqualTo(then);
    planner.script((facts, data) -> ScriptedPlanner.chain(facts).build());
  }

  private void assertBothElementsRunAgain(RunId id, Worker worker) {
    assertThat(retry(id).done()).isTrue();
    settle();
    assertThat(row(id).steps()).isEqualTo("A");
    assertThat(details(id).maps()).isEqualTo(Map.of(0, new MapCounts(2, 2, 0, 0, 0)));
    List<ClaimedJob> again = worker.claim(PLENTY);
    assertThat(again).hasSize(2);
    again.forEach(worker::succeed);
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    assertThat(details(id).maps()).isEqualTo(Map.of(0, new MapCounts(2, 2, 2, 0, 0)));
  }

  @Test
  void jobsOfAMapThatEndAfterItsRunDoNotCountWhenItIsRetried() {
    RunId id = startMapWithTimeout();
    Worker worker = worker();
    List<ClaimedJob> late = worker.claim(2);
    timeOut(id, RunState.FAILED);
    late.forEach(job -> worker.finish(new Finish.Cancelled(job.claim())));

    assertBothElementsRunAgain(id, worker);
  }

  @Test
  void jobsOfAMapThatEndWhileItsRunIsPausedDoNotCountWhenItIsRetried() {
    RunId id = startMapWithTimeout();
    Worker worker = worker();
    List<ClaimedJob> late = worker.claim(2);
    timeOut(id, RunState.PAUSED);
    late.forEach(job -> worker.finish(new Finish.Cancelled(job.claim())));

    assertBothElementsRunAgain(id, worker);
  }

  @Test
  void aJobThatOutlivesItsStepDoesNotEndTheRetriedStep() {
    RunId id = startMapWithTimeout();
    Worker worker = worker();
    List<ClaimedJob> late = worker.claim(2);
    timeOut(id, RunState.FAILED);

    assertThat(retry(id).done()).isTrue();
    settle();
    late.forEach(worker::succeed);
    settle();

    assertThat(row(id).steps()).isEqualTo("A");
    assertThat(hasResult(id, 0)).isFalse();
    assertThat(succeedOne().step()).isEqualTo(new StepRef(id, 0, StepRef.NO_ITEM));
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aChildRunThatOutlivesItsStepDoesNotEndTheRetriedStep() {
    RunDraft child = chain(1);
    RunId id =
        start(
            chain(1)
                .first(plan ->
                    plan.child(0, child).timer(0, RunMark.Kind.TIMED_OUT, Duration.ofMinutes(1))));
    Worker worker = worker();
    ClaimedJob late = worker.claimOne();
    timeOut(id, RunState.FAILED);

    assertThat(retry(id).done()).isTrue();
    settle();
    worker.finish(new Finish.Cancelled(late.claim()));
    settle();

    assertThat(runState(child.id())).isEqualTo(RunState.CANCELLED);
    assertThat(row(id).steps()).isEqualTo("A");
    assertThat(hasResult(id, 0)).isFalse();
    succeedOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void marksOfAnEndedRunAreDeletedWhenItIsAdvancedTogetherWithOthers() {
    RunId ended = startMapWithTimeout();
    Worker worker = worker();
    List<ClaimedJob> late = worker.claim(2);
    timeOut(ended, RunState.FAILED);
    late.forEach(job -> worker.finish(new Finish.Cancelled(job.claim())));
    RunId open = start(chain(2));
    succeedOne();

    RunAdvance.Report report = advance(ended, open);

    assertThat(report.advanced()).isEqualTo(1);
    assertThat(report.locked()).isEmpty();
    assertThat(runs.advance().marked(PLENTY)).isEmpty();
  }

  @Test
  void theJobOfAStepIsNotRetriedByItsId() {
    RunId id = startFailed();
    JobId job = jobOf(id, 1).id();

    assertThatThrownBy(() -> store.control().retry(job))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(id.toString());
    assertThatThrownBy(() -> store.control().requeue(job))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(id.toString());
    assertThat(stateOf(job)).isEqualTo(JobState.FAILED);
  }

  @Test
  void retryAllSkipsTheJobsOfSteps() {
    RunId id = startFailed();
    JobId plain = bringTo(job(), JobState.FAILED);

    assertThat(store.control().retryAll(JobFilter.all(), null, PLENTY).count()).isEqualTo(1);

    assertThat(stateOf(plain)).isEqualTo(JobState.READY);
    assertThat(jobState(id, 1)).isEqualTo(JobState.FAILED);
  }

  @Test
  void purgeKeepsTheJobsOfAnOpenRun() {
    RunId id = start(chain(2).first(plan -> plan.job(0).job(1)));
    failOne();

    assertThat(store.control().purge(JobFilter.all(), null, PLENTY).count()).isZero();

    cancel(id);
    settle();
    assertThat(runState(id).hasEnded()).isTrue();
    assertThat(store.control().purge(JobFilter.all(), null, PLENTY).count()).isEqualTo(1);
  }

  @Test
  void aMovedRunHasItsStepsAtTheirNewPositions() {
    RunId id =
        start(
            chain(2)
                .first(
                    plan -> plan.job(0).timer(0, RunMark.Kind.TIMED_OUT, Duration.ofMinutes(1))));
    int other = define("hash-2", RunDraft.WORKFLOW);

    assertThat(runs.control().move(id, moveTo("A.", other, ".A.", Map.of(1, 0, 2, 1))).done())
        .isTrue();

    assertThat(row(id).hash()).isEqualTo("hash-2");
    assertThat(row(id).steps()).isEqualTo(".A.");
    assertThat(details(id).timers()).containsOnlyKeys(1);
    assertThat(succeedOne().step()).isEqualTo(new StepRef(id, 1, StepRef.NO_ITEM));
    assertThat(resultOf(id, 1).outcome()).isEqualTo(StepState.SUCCEEDED);
    settle();
    assertThat(row(id).steps()).isEqualTo("AS.");
  }

  @Test
  void aMovedRunKeepsTheCountsOfItsMaps() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 2, 0, 2)));
    succeedOne();
    settle();
    runs.control().move(id, moveTo("A", define("hash-2", RunDraft.WORKFLOW), ".A", Map.of(1, 0)));

    assertThat(details(id).maps()).isEqualTo(Map.of(1, new MapCounts(2, 2, 1, 0, 0)));
  }

  @Test
  void aRunThatHasChangedIsNotMoved() {
    RunId id = start(chain(2));

    assertThat(runs.control().move(id, moveTo("..", definition, "..", Map.of())).done()).isFalse();
    assertThat(row(id).steps()).isEqualTo("A.");
  }

  private static Move moveTo(
      String seen, int graph, String steps, Map<Integer, Integer> positions) {
    return new Move(seen, graph, steps, positions, Map.of());
  }

  @Test
  void aMoveChangesHowJobsAreRunThatNoNodeHolds() {
    RunId waiting = start(chain(1));
    RunId paused = start(chain(1));
    pause(paused);
    Worker.join(store, "other", "another-queue", "another::task");
    MovedJobs jobs = new MovedJobs("another::task", "another-queue", null);
    for (RunId id : List.of(waiting, paused)) {
      Move move =
          new Move("A", define("hash-2", RunDraft.WORKFLOW), ".A", Map.of(1, 0), Map.of(1, jobs));
      RunControl.Result result = runs.control().move(id, move);
      assertThat(result.done()).isTrue();
      assertThat(result.ready())
          .isEqualTo(id.equals(waiting) ? Map.of("another-queue", 1) : Map.of());
      assertThat(jobOf(id, 1).task()).isEqualTo("another::task");
      assertThat(jobOf(id, 1).queue()).isEqualTo("another-queue");
    }
    assertThat(runs.queries().stranded(List.of(waiting, paused))).isEmpty();
  }

  @Test
  void aMoveLeavesAJobAsItIsThatANodeHolds() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    MovedJobs jobs = new MovedJobs("another::task", "another-queue", null);
    runs.control()
        .move(
            id,
            new Move("A", define("hash-2", RunDraft.WORKFLOW), "A", Map.of(0, 0), Map.of(0, jobs)));

    assertThat(jobOf(id, 0).task()).isEqualTo(TASK);
    assertThat(worker.succeed(job)).isEqualTo(Outcomes.Result.WRITTEN);
  }
}
