package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Runs whose first steps start together with them, for a node that has slots. */
public abstract class RunStartHereContract extends RunContract {
  private static final long CALL = 77;

  private Admission startHere(Worker worker, NewRun run) {
    Set<JobId> first =
        run.first().jobs().stream().map(job -> job.job().id()).collect(Collectors.toSet());
    return runs.intake().start(run, null, new StartHere(worker.incarnation(), CALL, first));
  }

  private static NewJob firstJob(NewRun run) {
    return run.first().jobs().getFirst().job();
  }

  private void assertNotStarted(NewRun run, Admission admission) {
    assertThat(admission.outcome()).isEqualTo(Started.Outcome.CREATED);
    assertThat(admission.started()).isEmpty();
    Job first = jobOf(run.id(), 0);
    assertThat(first.state()).isEqualTo(JobState.READY);
    assertThat(first.attempt()).isZero();
    assertThat(first.fencingToken()).isEqualTo(firstToken());
    assertThat(first.startedAt()).isNull();
    assertThat(first.node()).isNull();
  }

  @Test
  void theFirstStepStartsForTheNodeThatHasASlotForIt() {
    NewRun run = chain(2).build();
    Worker worker = worker();

    Admission admission = startHere(worker, run);

    assertThat(admission.outcome()).isEqualTo(Started.Outcome.CREATED);
    NewJob planned = firstJob(run);
    assertThat(admission.started()).hasSize(1);
    ClaimedJob first = admission.started().getFirst();
    assertThat(first.claim()).isEqualTo(new ClaimId(planned.id(), firstToken() + 1));
    assertThat(first.started()).isTrue();
    assertThat(first.attempt()).isEqualTo(1);
    assertThat(first.task()).isEqualTo(planned.content().task());
    assertThat(first.payload()).isEqualTo(planned.content().payload());
    assertThat(first.step()).isEqualTo(new StepRef(run.id(), 0, StepRef.NO_ITEM));
    Job stored = find(first.id());
    assertThat(stored.state()).isEqualTo(JobState.RUNNING);
    assertThat(stored.node()).isEqualTo(worker.registration().id());
    assertThat(stored.startedAt()).isEqualTo(first.claimedAt());
    assertThat(worker("another").claim(PLENTY)).isEmpty();
    worker.succeed(first);
    settle();
    assertThat(row(run.id()).steps()).isEqualTo("SA");
  }

  @Test
  void aStepThatWasStartedWithItsRunBelongsToTheCall() {
    Worker worker = worker();
    ClaimedJob first = startHere(worker, chain(2).build()).started().getFirst();

    // This is how a node finds it if the reply was lost.
    assertThat(store.nodes().claims(worker.incarnation()))
        .extracting(NodeStore.ClaimRow::claim, NodeStore.ClaimRow::claimNo)
        .containsExactly(tuple(first.claim(), CALL));
    worker.giveBack(first.claim());
    assertThat(find(first.id()).attempt()).isZero();
    assertThat(worker("another").claimOne().claim())
        .isEqualTo(new ClaimId(first.id(), firstToken() + 2));
  }

  @Test
  void onlyTheNamedStepsStart() {
    NewRun run = chain(2).build();
    Worker worker = worker();
    StartHere other = new StartHere(worker.incarnation(), CALL, Set.of(freshId()));

    assertNotStarted(run, runs.intake().start(run, null, other));
  }

  @Test
  void aRepeatedStartStartsNoStep() {
    RunDraft draft = chain(2);
    Worker worker = worker();
    ClaimedJob first = startHere(worker, draft.build()).started().getFirst();

    Admission again = startHere(worker, draft.repeated().build());

    assertThat(again).isEqualTo(new Admission(draft.id(), Started.Outcome.EXISTING, false));
    assertThat(find(first.id()).fencingToken()).isEqualTo(firstToken() + 1);
  }

  @Test
  void aRunThatIsStartedWithASignalLeavesItsStepsToClaims() {
    NewRun run = chain(2).build();
    Worker worker = worker();
    StartHere here = new StartHere(worker.incarnation(), CALL, Set.of(firstJob(run).id()));

    assertNotStarted(run, runs.intake().start(run, new NewSignal("go", "1", null), here));
  }

  @Test
  void aFirstStepDoesNotStartWhileItsQueueIsPaused() {
    NewRun run = chain(2).build();
    store.queues().pause(firstJob(run).content().queue());

    assertNotStarted(run, startHere(worker(), run));
  }

  @Test
  void aFirstStepOfAQueueWithALimitDoesNotStart() {
    NewRun run = chain(2).build();
    store.queues().limit(firstJob(run).content().queue(), 5);

    assertNotStarted(run, startHere(worker(), run));
  }

  @Test
  void aFirstStepOfATaskWithALimitDoesNotStart() {
    NewRun run = chain(2).build();
    store.tasks().limit(firstJob(run).content().task(), 5);

    assertNotStarted(run, startHere(worker(), run));
  }

  @Test
  void aFirstStepOfATaskWithAnOpenBreakerDoesNotStart() {
    NewRun run = chain(2).build();
    CircuitBreaker breaker =
        CircuitBreaker.after(1).within(Duration.ofMinutes(1)).openFor(Duration.ofMinutes(1));
    TaskStore.Noted noted =
        store
            .tasks()
            .report(
                new TaskStore.Attempts(
                    firstJob(run).content().task(),
                    breaker,
                    List.of(new ClaimId(freshId(), 1)),
                    List.of()));
    assertThat(noted.turn()).isEqualTo(TaskStore.Turn.OPENED);

    assertNotStarted(run, startHere(worker(), run));
  }

  @Test
  void aFirstStepDoesNotStartForANodeThatWasDeclaredDead() {
    NewRun run = chain(2).build();
    Worker worker = worker();
    declareDead(worker);

    assertNotStarted(run, startHere(worker, run));
  }
}
