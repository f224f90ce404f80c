package dev.holdfast.tck.contract;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A builder of plans that changes nothing unless a test sets it. */
public final class PlanDraft {
  private final RunId run;
  private final List<RunPlan.Job> jobs = new ArrayList<>();
  private final List<NewRun> children = new ArrayList<>();
  private final Map<Integer, RunPlan.MapSize> maps = new LinkedHashMap<>();
  private final List<RunPlan.Timer> timers = new ArrayList<>();
  private final Set<Integer> untimed = new LinkedHashSet<>();
  private final Set<Integer> stopped = new LinkedHashSet<>();
  private final List<RunPlan.Result> results = new ArrayList<>();
  private final Map<Integer, RunData.Signal> consumed = new LinkedHashMap<>();
  private final List<RunPlan.Event> events = new ArrayList<>();
  private RunState state = RunState.RUNNING;
  private RunPhase phase = RunPhase.MAIN;
  private String steps;
  private @Nullable String reason;
  private @Nullable String result;
  private @Nullable String summary;
  private boolean more;

  /** A plan for a run with this number of steps, all of which are pending. */
  public PlanDraft(RunId run, int count) {
    this.run = run;
    this.steps = ".".repeat(count);
  }

  /** A plan that leaves a run as it is. */
  public PlanDraft(RunFacts facts) {
    this.run = facts.id();
    this.state = facts.state();
    this.phase = facts.phase();
    this.steps = facts.steps();
    this.reason = facts.reason();
  }

  public PlanDraft state(RunState to) {
    this.state = to;
    return this;
  }

  public PlanDraft phase(RunPhase to) {
    this.phase = to;
    return this;
  }

  public PlanDraft reason(@Nullable String text) {
    this.reason = text;
    return this;
  }

  public PlanDraft letter(int step, StepState to) {
    this.steps = steps.substring(0, step) + to.letter() + steps.substring(step + 1);
    return this;
  }

  /** The letters so far. */
  public String steps() {
    return steps;
  }

  /** Starts a step with a job. */
  public PlanDraft job(int step) {
    return job(step, new JobDraft());
  }

  public PlanDraft job(int step, JobDraft draft) {
    event(RunEvent.Kind.STEP_STARTED, step);
    return letter(step, StepState.ACTIVE).insert(step, StepRef.NO_ITEM, draft);
  }

  /** Starts or continues a map: creates the jobs of elements from one position to another. */
  public PlanDraft map(int step, int total, int from, int to) {
    for (int item = from; item < to; item++) {
      insert(step, item, new JobDraft());
    }
    maps.put(step, new RunPlan.MapSize(total, to));
    return letter(step, StepState.ACTIVE);
  }

  private PlanDraft insert(int step, int item, JobDraft draft) {
    jobs.add(new RunPlan.Job(step, item, draft.step(new StepRef(run, step, item)).build()));
    return this;
  }

  /** Starts a step with a child run. */
  public PlanDraft child(int step, RunDraft child) {
    children.add(child.parent(new StepRef(run, step, StepRef.NO_ITEM)).build());
    return letter(step, StepState.ACTIVE);
  }

  public PlanDraft timer(int step, RunMark.Kind kind, Duration in) {
    timers.add(new RunPlan.Timer(step, kind, in));
    return this;
  }

  public PlanDraft untime(int step) {
    untimed.add(step);
    return this;
  }

  public PlanDraft stop(int step) {
    stopped.add(step);
    return this;
  }

  public PlanDraft result(int step, StepState outcome, @Nullable String output) {
    results.add(new RunPlan.Result(step, StepRef.NO_ITEM, outcome, output, null));
    return this;
  }

  /** Fails a step. */
  public PlanDraft fail(int step, RunData.Failure failure) {
    results.add(new RunPlan.Result(step, StepRef.NO_ITEM, StepState.FAILED, null, failure));
    return letter(step, StepState.FAILED);
  }

  public PlanDraft consume(int step, RunData.Signal signal) {
    consumed.put(step, signal);
    return this;
  }

  public PlanDraft event(RunEvent.Kind kind, int step) {
    events.add(new RunPlan.Event(kind, step, null));
    return this;
  }

  /** Ends the run. */
  public PlanDraft end(RunState how, @Nullable String output) {
    this.state = how;
    this.result = how == RunState.SUCCEEDED ? output : null;
    this.summary = "{\"state\":\"%s\"}".formatted(how);
    return event(RunEvent.Kind.ENDED, -1);
  }

  public PlanDraft more() {
    this.more = true;
    return this;
  }

  /** The plan. */
  public RunPlan build() {
    return new RunPlan(
        state, phase, steps, reason, jobs, children, maps, timers, untimed, stopped, results,
        consumed, events, result, summary, more);
  }
}
