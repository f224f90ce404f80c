package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.groups.Tuple.tuple;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.RunAdvance.Express;
import dev.holdfast.engine.store.RunAdvance.Expressed;
import dev.holdfast.engine.store.RunAdvance.Seen;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries.StoredEvent;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.store.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Successes of steps that are stored together with what follows them. */
public abstract class RunExpressContract extends RunContract {

  /** The number of the last event of a run. */
  private long seq(RunId id) {
    List<StoredEvent> events = runs.queries().events(id, 0, PLENTY);
    return events.getLast().seq();
  }

  /** A plan that starts the step after one that has succeeded. */
  private RunPlan follow(RunId id, int step, int count) {
    PlanDraft plan = new PlanDraft(id, count);
    for (int i = 0; i <= step; i++) {
      plan.letter(i, StepState.SUCCEEDED);
    }
    return plan.event(RunEvent.Kind.STEP_SUCCEEDED, step).job(step + 1).build();
  }

  private Express step(ClaimedJob job, long seq, int count) {
    StepRef step = Objects.requireNonNull(job.step());
    return new Express(
        new Finish.Succeeded(job.claim(), "\"done\"", null),
        step.run(),
        seq,
        follow(step.run(), step.step(), count));
  }

  private Set<ClaimId> express(Worker worker, Express... steps) {
    return runs.advance().express(worker.incarnation(), List.of(steps), StartHere.NOTHING).stored();
  }

  private void assertUntouched(RunId id, ClaimedJob job, long seq) {
    assertThat(jobState(id, 0)).isEqualTo(JobState.RUNNING);
    assertThat(jobOf(id, 0).id()).isEqualTo(job.id());
    assertThat(hasResult(id, 0)).isFalse();
    assertThat(row(id).steps()).isEqualTo("A..");
    assertThat(seq(id)).isEqualTo(seq);
    assertThat(details(id).jobs()).containsOnlyKeys(0);
  }

  @Test
  void aSuccessAndTheNextStepAreWrittenTogether() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    long before = seq(id);

    assertThat(express(worker, step(job, before, 3))).containsExactly(job.claim());

    assertThat(find(job.id()).state()).isEqualTo(JobState.SUCCEEDED);
    RunRow.Result result = resultOf(id, 0);
    assertThat(result.outcome()).isEqualTo(StepState.SUCCEEDED);
    assertThat(result.output()).isEqualTo("\"done\"");
    assertThat(result.job()).isEqualTo(job.id());
    assertThat(row(id).steps()).isEqualTo("SA.");
    assertThat(row(id).bytes()).isEqualTo("\"done\"".length());
    assertThat(runs.queries().events(id, before, PLENTY))
        .extracting(event -> event.event().kind(), event -> event.event().step())
        .containsExactly(
            tuple(RunEvent.Kind.STEP_SUCCEEDED, 0), tuple(RunEvent.Kind.STEP_STARTED, 1));
    assertThat(details(id).marked()).isFalse();
    assertThat(worker.claimOne().step()).isEqualTo(new StepRef(id, 1, StepRef.NO_ITEM));
  }

  @Test
  void aRunIsSeenWithTheNumberOfItsLastEvent() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();

    Seen seen = look(job.id()).orElseThrow();

    assertThat(seen.seq()).isEqualTo(seq(id));
    assertThat(seen.facts().steps()).isEqualTo("A..");
    assertThat(seen.jobs()).containsOnly(entry(job.id(), 0));
    assertThat(seen.facts().definition()).isEqualTo(definition);
    assertThat(express(worker, step(job, seen.seq(), 3))).containsExactly(job.claim());
    JobId next = worker.claimOne().id();
    Seen later = look(next).orElseThrow();
    assertThat(later.facts().steps()).isEqualTo("SA.");
    assertThat(later.facts().bytes()).isEqualTo("\"done\"".length());
    assertThat(later.jobs()).containsOnly(entry(next, 1));
    assertThat(look(job.id())).isEmpty();
  }

  @Test
  void aRunIsSeenAsTheChildOfAnother() {
    RunId own = start(chain(1));
    assertThat(look(jobOf(own, 0).id()).orElseThrow().child()).isFalse();

    RunDraft child = chain(1);
    startParentOf(child, 1);

    assertThat(look(jobOf(child.id(), 0).id()).orElseThrow().child()).isTrue();
  }

  @Test
  void aRunWithMarksIsNotSeen() {
    RunId id = start(chain(3).first(plan -> plan.job(0).job(1)));
    JobId other = jobOf(id, 1).id();
    assertThat(look(other)).isPresent();

    succeedOne();

    assertThat(look(other)).isEmpty();
  }

  @Test
  void aRunThatIsPausedIsNotSeen() {
    RunId id = start(chain(3));
    JobId job = jobOf(id, 0).id();
    assertThat(look(job)).isPresent();

    pause(id);

    assertThat(look(job)).isEmpty();
  }

  private Optional<Seen> look(JobId job) {
    return runs.advance().look(List.of(job), planner).stream().findFirst();
  }

  /** The success of the only step of a run, which ends with it. */
  private Express last(ClaimedJob job, long seq) {
    RunId id = Objects.requireNonNull(job.step()).run();
    return new Express(
        new Finish.Succeeded(job.claim(), "\"done\"", null),
        id,
        seq,
        new PlanDraft(id, 1)
            .letter(0, StepState.SUCCEEDED)
            .event(RunEvent.Kind.STEP_SUCCEEDED, 0)
            .end(RunState.SUCCEEDED, "\"result\"")
            .build());
  }

  @Test
  void aRunEndsTogetherWithItsLastStep() {
    RunId id =
        start(
            chain(1)
                .unique(UniqueKey.whileActive("one"))
                .first(
                    plan -> plan.job(0).timer(-1, RunMark.Kind.DEADLINE, Duration.ofMinutes(1))));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    long before = seq(id);

    assertThat(express(worker, last(job, before))).containsExactly(job.claim());

    RunRow row = row(id);
    assertThat(row.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(row.steps()).isEqualTo("S");
    assertThat(row.result()).isEqualTo("\"result\"");
    assertThat(row.bytes()).isEqualTo("\"done\"".length());
    assertThat(row.endedAt()).isNotNull();
    assertThat(resultOf(id, 0).output()).isEqualTo("\"done\"");
    assertThat(find(job.id()).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(seq(id)).isEqualTo(before + 2);
    assertThat(details(id).timers()).isEmpty();
    assertThat(runs.advance().marked(PLENTY)).doesNotContain(id);
    assertThat(runs.queries().findActive(RunDraft.WORKFLOW, "one")).isEmpty();
    assertThat(worker.finish(new Finish.Succeeded(job.claim(), "\"done\"", null)))
        .isEqualTo(Outcomes.Result.WRITTEN);
  }

  @Test
  void aRunThatOthersWaitForDoesNotEndTogetherWithItsStep() {
    RunDraft child = chain(1);
    startParentOf(child, 1);
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    assertThat(express(worker, last(job, seq(child.id())))).isEmpty();
    assertThat(find(job.id()).state()).isEqualTo(JobState.RUNNING);
    worker.succeed(job);

    RunId limited = start(chain(1).gate("key", 1, OnFull.QUEUE));
    ClaimedJob other = worker.claimOne();
    assertThat(other.step()).isEqualTo(new StepRef(limited, 0, StepRef.NO_ITEM));
    assertThat(express(worker, last(other, seq(limited)))).isEmpty();
    assertThat(runState(limited)).isEqualTo(RunState.RUNNING);
  }

  @Test
  void anAdvanceContinuesWhereAnExpressEnded() {
    RunId id = start(chain(3));
    Worker worker = worker();
    express(worker, step(worker.claimOne(), seq(id), 3));
    worker.succeed(worker.claimOne());

    var report = advance(id);

    assertThat(row(id).steps()).isEqualTo("SSA");
    assertThat(report.seqs()).containsEntry(id, seq(id));
    assertThat(express(worker, step(worker.claimOne(), seq(id) - 1, 4))).isEmpty();
  }

  @Test
  void aPlanForAnEarlierStateOfTheRunIsNotCarriedOut() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    long before = seq(id);
    pause(id);
    resume(id);
    settle();
    long after = seq(id);

    assertThat(express(worker, step(job, before, 3))).isEmpty();

    assertThat(after).isGreaterThan(before);
    assertUntouched(id, job, after);
    worker.succeed(job);
    settle();
    assertThat(row(id).steps()).isEqualTo("SA.");
  }

  @Test
  void aLostClaimAdvancesNothing() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    long seq = seq(id);
    Express late =
        new Express(
            new Finish.Succeeded(new ClaimId(job.id(), job.token() - 1), "\"done\"", null),
            id,
            seq,
            follow(id, 0, 3));

    assertThat(express(worker, late)).isEmpty();
    assertUntouched(id, job, seq);
    assertThat(express(worker("another"), step(job, seq, 3))).isEmpty();
    assertUntouched(id, job, seq);
  }

  @Test
  void aStepOfAPausedRunDoesNotStart() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    pause(id);
    long seq = seq(id);

    assertThat(express(worker, step(job, seq, 3))).isEmpty();

    assertThat(runState(id)).isEqualTo(RunState.PAUSED);
    assertUntouched(id, job, seq);
  }

  @Test
  void aStepOfACancelledRunDoesNotStart() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    cancel(id);

    assertThat(express(worker, step(job, seq(id), 3))).isEmpty();

    assertThat(hasResult(id, 0)).isFalse();
    assertThat(details(id).jobs()).containsOnlyKeys(0);
  }

  @Test
  void aJobOfAnotherRunIsNotEnded() {
    RunId one = start(chain(3));
    RunId other = start(chain(3));
    Worker worker = worker();
    List<ClaimedJob> jobs = worker.claim(2);
    ClaimedJob foreign =
        jobs.stream()
            .filter(job -> Objects.requireNonNull(job.step()).run().equals(other))
            .findFirst()
            .orElseThrow();

    Express wrong =
        new Express(
            new Finish.Succeeded(foreign.claim(), null, null), one, seq(one), follow(one, 0, 3));

    assertThat(express(worker, wrong)).isEmpty();
    assertUntouched(other, foreign, seq(other));
    assertThat(row(one).steps()).isEqualTo("A..");
  }

  @Test
  void aRunThatHasChangedDoesNotHoldUpOthers() {
    RunId changed = start(chain(3));
    RunId same = start(chain(3));
    Worker worker = worker();
    List<ClaimedJob> jobs = worker.claim(2);
    Express[] steps =
        jobs.stream()
            .map(job -> {
              RunId run = Objects.requireNonNull(job.step()).run();
              return step(job, run.equals(changed) ? 99 : seq(run), 3);
            })
            .toArray(Express[]::new);

    assertThat(express(worker, steps)).hasSize(1);

    assertThat(row(changed).steps()).isEqualTo("A..");
    assertThat(row(same).steps()).isEqualTo("SA.");
  }

  @Test
  void aRepeatWritesNothingAndIsRecognised() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    Express step = step(job, seq(id), 3);
    express(worker, step);
    long seq = seq(id);

    assertThat(express(worker, step)).isEmpty();
    UUID holder = worker.incarnation();
    assertThat(store.outcomes().finish(holder, List.of(step.finish())))
        .containsExactly(Outcomes.Result.WRITTEN);

    assertThat(seq(id)).isEqualTo(seq);
    assertThat(row(id).steps()).isEqualTo("SA.");
    assertThat(details(id).marked()).isFalse();
  }

  @Test
  void marksOfOtherStepsAreKept() {
    RunId id = start(chain(3).first(plan -> plan.job(0).job(1)));
    Worker worker = worker();
    List<ClaimedJob> jobs = worker.claim(2);
    ClaimedJob first = jobs.getFirst();
    ClaimedJob second = jobs.getLast();
    worker.succeed(second);
    RunPlan plan =
        new PlanDraft(id, 3)
            .letter(0, StepState.SUCCEEDED)
            .letter(1, StepState.ACTIVE)
            .event(RunEvent.Kind.STEP_SUCCEEDED, 0)
            .build();

    Express step = new Express(new Finish.Succeeded(first.claim(), null, null), id, seq(id), plan);
    assertThat(express(worker, step)).containsExactly(first.claim());

    assertThat(row(id).steps()).isEqualTo("SA.");
    assertThat(details(id).marked()).isTrue();
    settle();
    assertThat(row(id).steps()).isEqualTo("SSA");
  }

  private static final long CALL = 77;

  /** Stores a success, and starts what follows for the same worker if the store allows that. */
  private Expressed startNext(Worker worker, Express step) {
    Set<JobId> next =
        step.plan().jobs().stream().map(job -> job.job().id()).collect(Collectors.toSet());
    return runs.advance()
        .express(
            worker.incarnation(), List.of(step), new StartHere(worker.incarnation(), CALL, next));
  }

  private void assertNotStarted(RunId id, Expressed result, JobState state) {
    assertThat(result.stored()).hasSize(1);
    assertThat(result.started()).isEmpty();
    assertThat(row(id).steps()).isEqualTo("SA.");
    assertThat(jobState(id, 1)).isEqualTo(state);
    Job next = find(jobOf(id, 1).id());
    assertThat(next.attempt()).isZero();
    assertThat(next.fencingToken()).isEqualTo(firstToken());
    assertThat(next.startedAt()).isNull();
    assertThat(next.node()).isNull();
  }

  @Test
  void theNextStepStartsForTheNodeThatHasASlotForIt() {
    RunId id = start(chain(3));
    Worker worker = worker();
    Express step = step(worker.claimOne(), seq(id), 3);

    Expressed result = startNext(worker, step);

    assertThat(result.stored()).containsExactly(step.finish().claim());
    NewJob planned = step.plan().jobs().getFirst().job();
    ClaimedJob next = result.started().getFirst();
    assertThat(result.started()).hasSize(1);
    assertThat(next.claim()).isEqualTo(new ClaimId(planned.id(), firstToken() + 1));
    assertThat(next.started()).isTrue();
    assertThat(next.attempt()).isEqualTo(1);
    assertThat(next.task()).isEqualTo(planned.content().task());
    assertThat(next.queue()).isEqualTo(planned.content().queue());
    assertThat(next.priority()).isEqualTo(planned.content().priority());
    assertThat(next.payload()).isEqualTo(planned.content().payload());
    assertThat(next.policy()).isEqualTo(planned.content().policy());
    assertThat(next.tags()).isEqualTo(planned.content().tags());
    assertThat(next.step()).isEqualTo(new StepRef(id, 1, StepRef.NO_ITEM));
    assertThat(next.suspicion()).isEqualTo(Suspicion.NONE);
    Job stored = find(next.id());
    assertThat(stored.state()).isEqualTo(JobState.RUNNING);
    assertThat(stored.attempt()).isEqualTo(1);
    assertThat(stored.fencingToken()).isEqualTo(firstToken() + 1);
    assertThat(stored.node()).isEqualTo(worker.registration().id());
    assertThat(stored.startedAt()).isEqualTo(next.claimedAt());
    assertThat(stored.createdAt()).isEqualTo(next.createdAt());
    assertThat(stored.runAt()).isEqualTo(next.readyAt());
    assertThat(worker("another").claim(PLENTY)).isEmpty();
    worker.succeed(next);
    settle();
    assertThat(row(id).steps()).isEqualTo("SSA");
  }

  @Test
  void aStepThatWasStartedWithTheSuccessBelongsToItsCall() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob next = startNext(worker, step(worker.claimOne(), seq(id), 3)).started().getFirst();

    // This is how a node finds it if the reply was lost.
    assertThat(store.nodes().claims(worker.incarnation()))
        .extracting(NodeStore.ClaimRow::claim, NodeStore.ClaimRow::claimNo)
        .containsExactly(tuple(next.claim(), CALL));
    worker.giveBack(next.claim());
    assertThat(find(next.id()).attempt()).isZero();
    assertThat(worker("another").claimOne().claim())
        .isEqualTo(new ClaimId(next.id(), firstToken() + 2));
  }

  @Test
  void onlyStepsThatTheNodeHasSlotsForStart() {
    RunId id = start(chain(3));
    Worker worker = worker();
    Express step = step(worker.claimOne(), seq(id), 3);

    StartHere other = new StartHere(worker.incarnation(), CALL, Set.of(step.finish().claim().id()));
    Expressed result = runs.advance().express(worker.incarnation(), List.of(step), other);

    assertNotStarted(id, result, JobState.READY);
  }

  @Test
  void nothingStartsIfTheSuccessIsNotStored() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    long seq = seq(id);

    assertThat(startNext(worker, step(job, 99, 3))).isEqualTo(new Expressed(Set.of(), List.of()));
    assertThat(startNext(worker("another"), step(job, seq, 3)))
        .isEqualTo(new Expressed(Set.of(), List.of()));
    assertUntouched(id, job, seq);
  }

  @Test
  void aStepDoesNotStartWhileItsQueueIsPaused() {
    RunId id = start(chain(3));
    Worker worker = worker();
    Express step = step(worker.claimOne(), seq(id), 3);
    store.queues().pause(step.plan().jobs().getFirst().job().content().queue());

    assertNotStarted(id, startNext(worker, step), JobState.READY);
  }

  @Test
  void aStepOfAQueueWithALimitDoesNotStart() {
    RunId id = start(chain(3));
    Worker worker = worker();
    Express step = step(worker.claimOne(), seq(id), 3);
    store.queues().limit(step.plan().jobs().getFirst().job().content().queue(), 5);

    assertNotStarted(id, startNext(worker, step), JobState.READY);
  }

  @Test
  void aStepOfATaskWithALimitDoesNotStart() {
    RunId id = start(chain(3));
    Worker worker = worker();
    Express step = step(worker.claimOne(), seq(id), 3);
    store.tasks().limit(step.plan().jobs().getFirst().job().content().task(), 5);

    assertNotStarted(id, startNext(worker, step), JobState.READY);
  }

  @Test
  void aStepOfATaskWithAnOpenBreakerDoesNotStart() {
    RunId id = start(chain(3));
    Worker worker = worker();
    Express step = step(worker.claimOne(), seq(id), 3);
    TaskStore.Noted noted =
        store
            .tasks()
            .report(
                new TaskStore.Attempts(
                    step.plan().jobs().getFirst().job().content().task(),
                    CircuitBreaker.after(1)
                        .within(Duration.ofMinutes(1))
                        .openFor(Duration.ofMinutes(1)),
                    List.of(new ClaimId(freshId(), 1)),
                    List.of()));
    assertThat(noted.turn()).isEqualTo(TaskStore.Turn.OPENED);

    assertNotStarted(id, startNext(worker, step), JobState.READY);
  }

  @Test
  void aStepDoesNotStartForANodeThatWasDeclaredDead() {
    RunId id = start(chain(3));
    Worker worker = worker();
    Express step = step(worker.claimOne(), seq(id), 3);
    declareDead(worker);

    assertNotStarted(id, startNext(worker, step), JobState.READY);
  }

  @Test
  void aStepThatIsNotDueDoesNotStart() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    RunPlan plan =
        new PlanDraft(id, 3)
            .letter(0, StepState.SUCCEEDED)
            .event(RunEvent.Kind.STEP_SUCCEEDED, 0)
            .job(1, new JobDraft().dueIn(Duration.ofHours(1)))
            .build();
    Express step = new Express(new Finish.Succeeded(job.claim(), null, null), id, seq(id), plan);

    assertNotStarted(id, startNext(worker, step), JobState.SCHEDULED);
  }

  @Test
  void aStepThatWasStartedWithTheSuccessIsRecoveredIfItsNodeDies() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob next = startNext(worker, step(worker.claimOne(), seq(id), 3)).started().getFirst();

    crash(worker, next);
    settle();

    assertThat(resultOf(id, 1).outcome()).isEqualTo(StepState.FAILED);
  }

  @Test
  void aStepThatWasStartedWithTheSuccessIsCancelledWithItsRun() {
    RunId id = start(chain(3));
    Worker worker = worker();
    ClaimedJob next = startNext(worker, step(worker.claimOne(), seq(id), 3)).started().getFirst();

    cancel(id);

    assertThat(find(next.id()).cancelRequested()).isTrue();
  }
}
