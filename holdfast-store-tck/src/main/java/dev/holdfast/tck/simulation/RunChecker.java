package dev.holdfast.tck.simulation;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepDefinition;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.tck.simulation.GraphShape.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Observes every run from outside the nodes and reports violated invariants. */
final class RunChecker {
  private static final int ALL = 10_000;

  private final InvariantChecker checker;
  private final RunStore store;
  private final GateChecker gates;
  private final Map<String, GraphShape> shapes = new HashMap<>();
  private final Map<String, GraphShape> newer = new HashMap<>();
  private final Map<RunId, Watched> runs = new LinkedHashMap<>();
  private final Set<RunId> pausesAcknowledged = new HashSet<>();
  private final Map<JobId, StepRef> steps = new HashMap<>();
  private Consumer<RunId> onStart = id -> {};

  /** The observed history of a run. */
  private static final class Watched {
    final RunId id;
    final @Nullable RunId parent;
    final String workflow;
    final ReplayedSteps replay;
    GraphShape shape;
    RunState state = RunState.RUNNING;

    /** Whether its deadline is to end it, unless it ends before: a retry may do without. */
    boolean hasDeadline;

    /** The steps that it has taken over from the run that it repeats. */
    Set<Integer> kept = Set.of();

    /** The steps that had started when it was retried: they continue next to the repeated ones. */
    Set<Integer> continued = Set.of();

    boolean wasRetried;
    long seen;

    /** The job of each step and each element of a map, since the run was last retried. */
    final Map<StepRef, JobId> jobs = new HashMap<>();

    Watched(RunRow row, GraphShape shape) {
      this.id = row.id();
      this.parent = row.parent() == null ? null : row.parent().run();
      this.workflow = row.workflow();
      this.shape = shape;
      this.hasDeadline = shape.hasDeadline();
      this.replay = new ReplayedSteps(shape.size());
    }
  }

  RunChecker(InvariantChecker checker, RunStore store) {
    this.checker = checker;
    this.store = store;
    this.gates = new GateChecker(checker);
  }

  /** Receives the id of each run that a client has started. */
  void onStart(Consumer<RunId> listener) {
    onStart = listener;
  }

  /** Makes the version of a workflow known to which its runs are moved. */
  void learnNewer(Workflow<?, ?> workflow) {
    newer.put(workflow.name(), new GraphShape(workflow));
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
    List<GateChecker.Limited> limited = new ArrayList<>();
    for (Watched run : runs.values()) {
      MaxActive limit = run.shape.limit();
      if (limit != null) {
        store
            .queries()
            .find(run.id)
            .ifPresent(row -> limited.add(new GateChecker.Limited(limit, row)));
      }
    }
    gates.check(limited);
  }

  /** Adds a run that was just started, and checks it. */
  void watch(RunId id) {
    if (!runs.containsKey(id)) {
      RunRow row = store.queries().find(id).orElse(null);
      if (row == null) {
        checker.violated(Invariant.EVERY_RUN_ENDS, "Run %s cannot be found".formatted(id));
        return;
      }
      Watched run = new Watched(row, shapeOf(row));
      runs.put(id, run);
      check(run);
      if (run.parent == null) {
        onStart.accept(id);
      }
    }
  }

  /** A rerun of a run that was moved has the newer version. */
  private GraphShape shapeOf(RunRow row) {
    GraphShape shape = Objects.requireNonNull(shapes.get(row.workflow()));
    return row.steps().length() == shape.size()
        ? shape
        : Objects.requireNonNull(newer.get(row.workflow()));
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
      apply(run, row, event.event().kind(), event.event().step());
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

  private void apply(Watched run, RunRow row, RunEvent.Kind kind, int step) {
    if (kind == RunEvent.Kind.RETRIED) {
      run.jobs.clear();
      run.kept = Set.of();
      run.continued = run.replay.active();
      run.wasRetried = true;
      run.hasDeadline = run.hasDeadline && !run.state.hasEnded();
      checker.retried(run.id);
    } else if (kind == RunEvent.Kind.MOVED) {
      move(run, row);
    }
    if (step >= 0 && isEnd(kind)) {
      StepState before = run.replay.state(step);
      if (before.hasEnded()) {
        checker.violated(
            Invariant.A_STEP_ENDS_ONCE,
            "Step %d of run %s was %s: %s".formatted(step, run.id, before, kind));
      }
    }
    run.replay.apply(kind, step);
  }

  private void move(Watched run, RunRow row) {
    GraphShape from = run.shape;
    GraphShape to = Objects.requireNonNull(newer.get(run.workflow));
    run.shape = to;
    run.replay.move(to.moved(from, run.replay.letters(), row.phase()));
    run.kept = moved(run.kept, from, to);
    run.continued = moved(run.continued, from, to);
    Map<StepRef, JobId> jobs = new HashMap<>(run.jobs);
    run.jobs.clear();
    jobs.forEach((step, job) -> run.jobs.put(moved(step, from, to), job));
    steps.replaceAll((job, step) -> step.run().equals(run.id) ? moved(step, from, to) : step);
  }

  private static Set<Integer> moved(Set<Integer> steps, GraphShape from, GraphShape to) {
    return steps.stream().map(step -> to.moved(from, step)).collect(Collectors.toSet());
  }

  private static StepRef moved(StepRef step, GraphShape from, GraphShape to) {
    return new StepRef(step.run(), to.moved(from, step.step()), step.item());
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
    if (run.kept.contains(step.step())) {
      checker.violated(
          Invariant.RERUNS_KEEP_RESULTS, "%s started although it is kept".formatted(what));
    }
    StepState state = StepState.of(row.steps().charAt(step.step()));
    if (state != StepState.ACTIVE) {
      checker.violated(
          Invariant.A_STEP_ENDS_ONCE, "%s started when the step was %s".formatted(what, state));
    }
    if (!run.continued.contains(step.step()) && !run.shape.mayStart(step.step(), row.steps())) {
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

  /**
   * Returns whether a run, or one above it, is paused or was acknowledged to be. A cancellation,
   * also that by a deadline or by a run that replaces it, ends the pause of a run.
   */
  private boolean isPaused(Watched run) {
    Watched each = state(run.id) == RunState.CANCELLING ? null : run;
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

  /** What a client needs to know to repeat a run: how it is before the request. */
  record Before(long seen, GraphShape shape, String letters, Set<RunId> known) {}

  Before beforeRerun(RunId id) {
    Watched run = Objects.requireNonNull(runs.get(id));
    return new Before(run.seen, run.shape, run.replay.letters(), Set.copyOf(runs.keySet()));
  }

  private boolean isRerun(RunId again, RunId original) {
    return original.equals(store.queries().find(again).orElseThrow().origin());
  }

  /** Records that a client has repeated a run from some steps on. */
  void reran(RunId original, Before before, List<String> from, RunId again) {
    Watched run = runs.get(again);
    if (run == null || beforeRerun(original).seen != before.seen || run.wasRetried) {
      return; // It cannot be known what the new run was to keep.
    }
    if (before.known.contains(again) || !isRerun(again, original)) {
      return; // Its gate skipped it, and returned the run that is active.
    }
    // A step that was skipped is decided again: a move skips steps that are new in a part that is
    // over, and they may run now.
    Set<Integer> kept =
        before.shape.kept(from, before.letters).stream()
            .filter(step -> StepState.of(before.letters.charAt(step)) == StepState.SUCCEEDED)
            .collect(Collectors.toSet());
    Set<Integer> results =
        store.queries().results(again).stream()
            .map(RunPlan.Result::step)
            .collect(Collectors.toSet());
    for (int step : kept) {
      if (!results.contains(step)) {
        checker.violated(
            Invariant.RERUNS_KEEP_RESULTS,
            "Run %s has no result of step %d, which run %s has".formatted(again, step, original));
      }
      if (run.jobs.keySet().stream().anyMatch(job -> job.step() == step)) {
        checker.violated(
            Invariant.RERUNS_KEEP_RESULTS,
            "Run %s has started step %d, which it keeps".formatted(again, step));
      }
    }
    run.kept = kept;
  }

  boolean knows(RunId id) {
    return runs.containsKey(id);
  }

  /** Returns the names of the steps of a run. */
  List<String> stepsOf(RunId id) {
    return Objects.requireNonNull(runs.get(id)).shape.mainSteps();
  }

  /**
   * Returns the runs that are paused and stay so, of a run and those below it: no deadline ends
   * them.
   */
  List<RunId> paused(RunId root) {
    return runs.values().stream()
        .filter(run -> run.state == RunState.PAUSED && isBelow(run, root) && !isTimed(run))
        .map(run -> run.id)
        .toList();
  }

  /** Returns whether the deadline of a run, or of one above it, is to come. */
  private boolean isTimed(Watched run) {
    Watched each = run;
    while (each != null) {
      if (each.hasDeadline
          && store.queries().find(each.id).orElseThrow().phase() == RunPhase.MAIN) {
        return true;
      }
      each = each.parent == null ? null : runs.get(each.parent);
    }
    return false;
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
