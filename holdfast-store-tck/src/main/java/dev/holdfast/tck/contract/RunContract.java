package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started.Outcome;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** The base of all topics about runs. Their workflows are chains, unless a test says otherwise. */
public abstract class RunContract extends Contract {
  protected RunStore runs;
  protected ScriptedPlanner planner;
  protected int definition;

  @BeforeEach
  void register() {
    runs = store.runs();
    planner = new ScriptedPlanner();
    definition = define("hash-1", RunDraft.WORKFLOW);
  }

  protected int define(String hash, String workflow) {
    Definition graph = new Definition(hash, workflow, 1, "{\"graph\":\"%s\"}".formatted(hash));
    return runs.definitions().register(List.of(graph)).getFirst().id();
  }

  /** A chain of this number of steps. */
  protected RunDraft chain(int steps) {
    return new RunDraft(definition, steps);
  }

  protected Admission admit(RunDraft draft) {
    return runs.intake().start(draft.build(), null);
  }

  /** Start a run that must be new. */
  protected RunId start(RunDraft draft) {
    Admission admission = admit(draft);
    assertThat(admission.outcome()).isEqualTo(Outcome.CREATED);
    return admission.id();
  }

  protected RunAdvance.Report advance(RunId... ids) {
    return runs.advance().advance(List.of(ids), planner);
  }

  /** Advance until no run has marks. */
  protected void settle() {
    for (int round = 0; round < 100; round++) {
      List<RunId> marked = runs.advance().marked(PLENTY);
      if (marked.isEmpty()) {
        return;
      }
      runs.advance().advance(marked, planner);
    }
    throw new AssertionError("There are still marks after 100 rounds.");
  }

  protected RunRow row(RunId id) {
    return runs.queries().find(id).orElseThrow();
  }

  protected RunRow.Details details(RunId id) {
    return runs.queries().details(id);
  }

  protected RunState runState(RunId id) {
    return row(id).state();
  }

  protected Job jobOf(RunId id, int step) {
    Job job = details(id).jobs().get(step);
    if (job == null) {
      throw new AssertionError("Step %d of run %s has no job.".formatted(step, id));
    }
    return job;
  }

  protected JobState jobState(RunId id, int step) {
    return jobOf(id, step).state();
  }

  protected RunRow.Result resultOf(RunId id, int step) {
    return details(id).results().stream()
        .filter(result -> result.step() == step)
        .findFirst()
        .orElseThrow(
            () -> new AssertionError("Step %d of run %s has no result.".formatted(step, id)));
  }

  protected boolean hasResult(RunId id, int step) {
    return details(id).results().stream().anyMatch(result -> result.step() == step);
  }

  /** Run the next READY job to its success. */
  protected ClaimedJob succeedOne() {
    Worker worker = worker("runner");
    ClaimedJob job = worker.claimOne();
    worker.succeed(job);
    return job;
  }

  /** Run the next READY job to its failure. */
  protected ClaimedJob failOne() {
    Worker worker = worker("runner");
    ClaimedJob job = worker.claimOne();
    worker.failPermanently(job);
    return job;
  }

  protected RunControl.Result pause(RunId id) {
    return runs.control().pause(id, "by hand");
  }

  protected RunControl.Result resume(RunId id) {
    return runs.control().resume(id);
  }

  protected RunControl.Result cancel(RunId id) {
    return runs.control().cancel(id, "by hand");
  }

  /** A run whose step 0 is a child run with this number of steps. */
  protected RunId startParentOf(RunDraft child, int steps) {
    RunId id = start(chain(steps).first(plan -> plan.child(0, child)));
    assertThat(runs.control().children(id)).containsExactly(child.id());
    return id;
  }

  /** Declare a node dead and recover a job that it held. */
  protected void recover(Worker holder, RecoveryAction action) {
    declareDead(holder);
    assertThat(store.recovery().recover(Holder.dead(holder.incarnation()), List.of(action)))
        .containsExactly(Recovery.Result.DONE);
  }

  protected void declareDead(Worker holder) {
    long beat =
        store.nodes().look(freshIncarnation(), PLENTY, false).watched().stream()
            .filter(pulse -> pulse.incarnation().equals(holder.incarnation()))
            .findAny()
            .orElseThrow()
            .beat();
    assertThat(store.nodes().markDead(holder.incarnation(), beat, Duration.ofSeconds(61))).isTrue();
  }

  /** The node of a job dies, and the job is dead-lettered because it crashed too often. */
  protected void crash(Worker holder, ClaimedJob job) {
    Finish.Failure failure =
        new Finish.Failure(
            job.attempt(), FailureCode.WORKER_CRASHED, null, "Its node died.", null, "node-1");
    recover(holder, new RecoveryAction.DeadLetter(job.claim(), failure));
  }
}
