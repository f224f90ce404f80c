package dev.holdfast.tck.simulation;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepDefinition;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.workflow.RunReplay;
import dev.holdfast.tck.simulation.GraphShape.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Observes every run from outside the nodes and reports violated invariants. */
final class RunChecker {
  private static final int ALL = 10_000;

  private final InvariantChecker checker;
  private final RunStore store;
  private final Map<String, GraphShape> shapes = new HashMap<>();
  private final Map<RunId, Watched> runs = new LinkedHashMap<>();
  private final Set<RunId> pausesAcknowledged = new HashSet<>();
  private final Map<JobId, StepRef> steps = new HashMap<>();

  /** The observed history of a run. */
  private static final class Watched {
    final RunId id;
    final @Nullable RunId parent;
    final GraphShape shape;
    final RunReplay replay;
    RunState state = RunState.RUNNING;
    long seen;

    /** The job of each step and each element of a map, since the run was last retried. */
    final Map<StepRef, JobId> jobs = new HashMap<>();

    Watched(RunId id, @Nullable RunId parent, GraphShape shape) {
      this.id = id;
      this.parent = parent;
      this.shape = shape;
      this.replay = new RunReplay(shape.size());
    }
  }

  RunChecker(InvariantChecker checker, RunStore store) {
    this.checker = checker;
    this.store = store;
  }

  /** Makes a workflow and those that it starts known. */
  void learn(Workflow<?, ?> workflow) {
    shapes.put(workflow.name(), new GraphShape(workflow));
    for (StepDefinition step : workflow.steps()) {
      if (step.work() instanceof StepDefinition.Work.RunWorkflow child) {
        learn(child.workflow());
      }
    }
  }

  /** Checks every run. Called after each call that may have changed runs. */
  void check() {
    for (Watched run : new ArrayList<>(runs.values())) {
      check(run);
    }
  }

  /** Adds a run that was just started, and checks it. */
  void watch(RunId id) {
    if (!runs.containsKey(id)) {
      RunRow row = store.queries().find(id).orElse(null);
      if (row == null) {
        checker.violated(Invariant.EVERY_RUN_ENDS, "Run %s cannot be found".formatted(id));
        return;
      }
      RunId parent = row.parent() == null ? null : row.parent().run();
      Watched run = new Watched(id, parent, Objects.requireNonNull(shapes.get(row.workflow())));
      runs.put(id, run);
      check(run);
    }
  }

  private void check(Watched run) {
    RunRow row = store.queries().find(run.id).orElse(null);
    if (row == null) {
      checker.violated(Invariant.EVERY_RUN_ENDS, "Run %s is gone".formatted(run.id));
      return;
    }
    List<RunQueries.StoredEvent> fresh = store.queries().events(run.id, run.seen, ALL);
    for (RunQueries.StoredEvent event : fresh) {
      run.seen = event.seq();
      apply(run, event.event().kind(), event.event().step());
    }
    run.state = row.state();
    if (!run.replay.letters().equals(row.steps())) {
      checker.violated(
          Invariant.EVENTS_REPLAY,
          "The events of run %s say that its steps are %s, but they are %s"
              .formatted(run.id, run.replay.letters(), row.steps()));
    }
    if (!fresh.isEmpty()) {
      store.control().children(run.id).forEach(this::watch);
    }
  }

  private void apply(Watched run, RunEvent.Kind kind, int step) {
    if (kind == RunEvent.Kind.RETRIED) {
      run.jobs.clear();
      checker.retried(run.id);
    }
    if (step >= 0 && isEnd(kind)) {
      StepState before = StepState.of(run.replay.letters().charAt(step));
      if (before.hasEnded()) {
        checker.violated(
            Invariant.A_STEP_ENDS_ONCE,
            "Step %d of run %s was %s: %s".formatted(step, run.id, before, kind));
      }
    }
    run.replay.apply(kind, step);
  }

  private static boolean isEnd(RunEvent.Kind kind) {
    return switch (kind) {
      case STEP_SUCCEEDED, STEP_FAILED, STEP_CANCELLED, STEP_SKIPPED -> true;
      default -> false;
    };
  }

  /** Records that a node has claimed the job of a step. */
  void claimed(JobId job, StepRef step) {
    steps.put(job, step);
    checker.watchStep(job, step.run());
  }

  /** Records that the store has let a job start. Jobs that belong to no run are ignored. */
  void started(JobId job) {
    StepRef step = steps.get(job);
    Watched run = step == null ? null : runs.get(step.run());
    if (step == null || run == null) {
      return;
    }
    RunRow row = store.queries().find(run.id).orElseThrow();
    String what = "Job %s of step %d of run %s".formatted(job, step.step(), run.id);
    if (isPaused(run)) {
      checker.violated(
          Invariant.PAUSED_RUNS_START_NOTHING, "%s started while it is paused".formatted(what));
    }
    boolean isMain = run.shape.part(step.step()) == Part.MAIN;
    if (row.state().hasEnded() || (isMain && row.phase() != RunPhase.MAIN)) {
      checker.violated(
          Invariant.ONLY_CLEANUP_STARTS_AFTER_THE_END,
          "%s started in a run that is %s in phase %s".formatted(what, row.state(), row.phase()));
    }
    if (!run.shape.mayStart(step.step(), row.steps())) {
      checker.violated(
          Invariant.STEPS_FOLLOW_THEIR_DEPENDENCIES,
          "%s started when the steps were %s".formatted(what, row.steps()));
    }
    JobId other = run.jobs.putIfAbsent(step, job);
    if (other != null && !other.equals(job)) {
      checker.violated(
          Invariant.A_STEP_ENDS_ONCE, "%s started after job %s".formatted(what, other));
    }
  }

  /** Returns whether a run, or one above it, is paused or was acknowledged to be. */
  private boolean isPaused(Watched run) {
    Watched each = run;
    while (each != null) {
      if (pausesAcknowledged.contains(each.id) || state(each.id) == RunState.PAUSED) {
        return true;
      }
      each = each.parent == null ? null : runs.get(each.parent);
    }
    return false;
  }

  /** Records that a client was told that a run is paused. */
  void pauseAcknowledged(RunId id) {
    pausesAcknowledged.add(id);
  }

  /** Records that a client sends a request after which a run may start steps again. */
  void mayContinue(RunId id) {
    pausesAcknowledged.remove(id);
  }

  /** Returns the state of a run, which was started. */
  RunState state(RunId id) {
    return store.queries().find(id).orElseThrow().state();
  }

  /** Returns the runs that are paused, of a run and those below it. */
  List<RunId> paused(RunId root) {
    return runs.values().stream()
        .filter(run -> run.state == RunState.PAUSED && isBelow(run, root))
        .map(run -> run.id)
        .toList();
  }

  private boolean isBelow(Watched run, RunId root) {
    Watched each = run;
    while (each != null && !each.id.equals(root)) {
      each = each.parent == null ? null : runs.get(each.parent);
    }
    return each != null;
  }

  boolean allEnded() {
    return runs.values().stream().allMatch(run -> run.state.hasEnded());
  }

  /** Expects that every run has ended. Called long after the last fault. */
  void expectAllEnded() {
    for (Watched run : runs.values()) {
      if (!run.state.hasEnded()) {
        checker.violated(
            Invariant.EVERY_RUN_ENDS,
            "Run %s is still %s, its steps are %s"
                .formatted(run.id, run.state, run.replay.letters()));
      }
    }
  }
}
