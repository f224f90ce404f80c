package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run as a store would keep it, without a store: carries plans out, and answers the planner with
 * what it asked for and nothing else.
 */
final class FakeRun {
  static final RunId ID = new RunId(new UUID(0x0197_a3c2_5b1e_7000L, 1L << 63));

  /** A job or a child run that exists; the item is -1 outside maps. */
  record Open(int step, int item) {}

  final Graph graph;

  /** The planner of the node that advances the run next. */
  GraphPlanner planner;

  final Map<Open, @Nullable String> jobs = new LinkedHashMap<>();
  final Map<Open, @Nullable String> payloads = new HashMap<>();
  final List<NewRun> children = new ArrayList<>();
  final Set<RunPlan.Timer> timers = new HashSet<>();
  final List<RunData.Signal> signals = new ArrayList<>();
  final List<RunMark> marks = new ArrayList<>();
  final Map<Integer, MapCounts> maps = new HashMap<>();
  final Map<Integer, TreeMap<Integer, Optional<String>>> items = new HashMap<>();
  private final Set<Open> succeededItems = new HashSet<>();
  final Map<Integer, RunPlan.Result> results = new HashMap<>();
  final List<Integer> successes = new ArrayList<>();
  final List<RunPlan.Event> events = new ArrayList<>();
  private final RunReplay replay;
  private final int definition;
  private final @Nullable String input;
  RunState state = RunState.RUNNING;
  RunPhase phase = RunPhase.MAIN;
  String steps;
  @Nullable String reason;
  @Nullable Integer priority;
  long bytes;
  RunPlan last;

  FakeRun(GraphPlanner planner, int definition, @Nullable String input) {
    this.planner = planner;
    this.definition = definition;
    this.graph = planner.graph(definition);
    this.input = input;
    this.replay = new RunReplay(graph.steps().size());
    this.steps = ".".repeat(graph.steps().size());
    this.last =
        planner.first(
            new GraphPlanner.Start(ID, definition, input, null, RunSource.NONE, List.of()));
    carryOut(last);
  }

  static FakeRun of(GraphSketch sketch, @Nullable String input) {
    return of(sketch.graph(), input);
  }

  static FakeRun of(Graph graph, @Nullable String input) {
    return new FakeRun(planner(graph), 1, input);
  }

  static GraphPlanner planner(Graph... graphs) {
    long[] next = {0x0197_a3c2_5b1f_7000L};
    GraphPlanner planner = new GraphPlanner(() -> new UUID(next[0], ++next[0] | 1L << 63));
    for (int i = 0; i < graphs.length; i++) {
      planner.learn(new Definitions.Stored(i + 1, GraphJson.definition(graphs[i])));
    }
    return planner;
  }

  int at(String name) {
    for (int i = 0; i < graph.steps().size(); i++) {
      if (graph.steps().get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("No step " + name);
  }

  StepState stateOf(String name) {
    return StepState.of(steps.charAt(at(name)));
  }

  RunFacts facts() {
    return new RunFacts(
        ID,
        definition,
        state,
        phase,
        steps,
        input,
        reason,
        priority,
        RunSource.NONE,
        bytes,
        marks,
        maps,
        Map.of());
  }

  /** Advances until nothing is marked. */
  FakeRun advance() {
    int calls = 0;
    while (!marks.isEmpty() && !state.hasEnded()) {
      advanceOnce();
      assertThat(++calls).as("advances in a row").isLessThan(1_000);
    }
    return this;
  }

  RunPlan advanceOnce() {
    RunFacts facts = facts();
    marks.clear();
    RunPlan plan = planner.plan(facts, data(planner.needs(facts)));
    carryOut(plan);
    return plan;
  }

  private RunData data(RunData.Needs needs) {
    Map<Integer, Optional<String>> outputs = new HashMap<>();
    for (int step : needs.outputs()) {
      RunPlan.Result result = results.get(step);
      if (result != null && result.outcome() == StepState.SUCCEEDED) {
        outputs.put(step, Optional.ofNullable(result.output()));
      }
    }
    Map<Integer, List<@Nullable String>> lists = new HashMap<>();
    for (int step : needs.items()) {
      List<@Nullable String> list = new ArrayList<>();
      items.getOrDefault(step, new TreeMap<>()).values().forEach(v -> list.add(v.orElse(null)));
      lists.put(step, list);
    }
    Map<String, RunData.Signal> oldest = new HashMap<>();
    signals.stream()
        .filter(signal -> needs.signals().contains(signal.name()))
        .forEach(signal -> oldest.putIfAbsent(signal.name(), signal));
    Map<Integer, RunData.Failure> failures = new HashMap<>();
    for (int step : needs.failures()) {
      RunPlan.Result result = results.get(step);
      if (result != null && result.failure() != null) {
        failures.put(step, result.failure());
      }
    }
    return new RunData(
        outputs, lists, oldest, needs.successes() ? List.copyOf(successes) : List.of(), failures);
  }

  private void carryOut(RunPlan plan) {
    assertThat(plan.jobs().size()).isLessThanOrEqualTo(Draft.MOST_JOBS);
    if (state == RunState.PAUSED && plan.state() == RunState.PAUSED) {
      assertThat(plan.jobs()).as("jobs of a paused run").isEmpty();
      assertThat(plan.children()).as("children of a paused run").isEmpty();
    }
    plan.maps()
        .forEach((step, size) -> {
          MapCounts old = maps.getOrDefault(step, new MapCounts(0, 0, 0, 0, 0));
          maps.put(
              step,
              new MapCounts(
                  size.total(), size.inserted(), old.succeeded(), old.failed(), old.cancelled()));
        });
    for (RunPlan.Job job : plan.jobs()) {
      if (state == RunState.CANCELLING) {
        assertThat(graph.steps().get(job.step()).part()).isNotEqualTo(Graph.Part.MAIN);
      }
      Open open = new Open(job.step(), job.item());
      if (jobs.containsKey(open)) {
        throw new AssertionError("Created twice: " + open);
      }
      jobs.put(open, job.job().content().payload());
      payloads.put(open, job.job().content().payload());
    }
    for (NewRun child : plan.children()) {
      assertThat(child.content().parent()).isNotNull();
      jobs.put(new Open(child.content().parent().step(), -1), child.content().input());
      payloads.put(new Open(child.content().parent().step(), -1), child.content().input());
      children.add(child);
    }
    timers.removeIf(timer -> plan.untimed().contains(timer.step()));
    timers.addAll(plan.timers());
    for (RunPlan.Result result : plan.results()) {
      results.put(result.step(), result);
      if (result.outcome() == StepState.SUCCEEDED) {
        successes.add(result.step());
      }
    }
    signals.removeAll(plan.consumed().values());
    plan.events().forEach(event -> replay.apply(event.kind(), event.step()));
    events.addAll(plan.events());
    steps = plan.steps();
    state = plan.state();
    phase = plan.phase();
    reason = plan.reason();
    last = plan;
    if (!replay.letters().equals(steps)) {
      throw new AssertionError("Events say %s, not %s".formatted(replay.letters(), steps));
    }
    plan.stopped().forEach(this::cancelJobs);
    if (plan.more()) {
      look();
    }
  }

  void cancelJobs(int step) {
    for (Open open : List.copyOf(jobs.keySet())) {
      if (open.step() == step) {
        end(open, StepState.CANCELLED, null);
      }
    }
  }

  FakeRun look() {
    marks.add(RunMark.of(RunMark.Kind.LOOK, -1));
    return this;
  }

  /** Ends the job of a step with an output, and advances. */
  FakeRun succeed(String step, @Nullable String output) {
    end(new Open(at(step), -1), StepState.SUCCEEDED, output);
    return advance();
  }

  FakeRun fail(String step) {
    end(new Open(at(step), -1), StepState.FAILED, null);
    return advance();
  }

  FakeRun succeedItem(String step, int item, @Nullable String output) {
    end(new Open(at(step), item), StepState.SUCCEEDED, output);
    return advance();
  }

  FakeRun failItem(String step, int item) {
    end(new Open(at(step), item), StepState.FAILED, null);
    return advance();
  }

  /** Ends a job: writes its result and a mark. A result that a plan has written is kept. */
  void end(Open open, StepState outcome, @Nullable String output) {
    if (!jobs.containsKey(open)) {
      throw new AssertionError("Not open: " + open);
    }
    jobs.remove(open);
    int ok = outcome == StepState.SUCCEEDED ? 1 : 0;
    int failed = outcome == StepState.FAILED ? 1 : 0;
    int cancelled = outcome == StepState.CANCELLED ? 1 : 0;
    int step = open.step();
    if (open.item() >= 0) {
      if (ok == 1) {
        succeededItems.add(open);
      }
      items
          .computeIfAbsent(step, s -> new TreeMap<>())
          .put(open.item(), Optional.ofNullable(output));
      maps.computeIfPresent(
          step,
          (s, c) ->
              new MapCounts(
                  c.total(),
                  c.inserted(),
                  c.succeeded() + ok,
                  c.failed() + failed,
                  c.cancelled() + cancelled));
    } else if (!results.containsKey(step)) {
      RunData.Failure failure = failed == 0 ? null : new RunData.Failure("BROKEN", "it broke");
      results.put(step, new RunPlan.Result(step, -1, outcome, output, failure));
      if (ok == 1) {
        successes.add(step);
      }
    }
    marks.add(new RunMark(RunMark.Kind.ENDED, step, ok, failed, cancelled));
  }

  /** Lets a timer fire. */
  FakeRun fire(RunMark.Kind kind, int step) {
    assertThat(timers.removeIf(timer -> timer.kind() == kind && timer.step() == step)).isTrue();
    marks.add(RunMark.of(kind, step));
    return this;
  }

  FakeRun fire(RunMark.Kind kind, String step) {
    return fire(kind, at(step)).advance();
  }

  FakeRun signal(String name, String id, @Nullable String payload) {
    signals.add(new RunData.Signal(name, id, payload));
    look();
    return advance();
  }

  FakeRun pause() {
    state = RunState.PAUSED;
    reason = "by an operator";
    return this;
  }

  FakeRun resume() {
    state = RunState.RUNNING;
    reason = null;
    look();
    return this;
  }

  FakeRun cancel() {
    state = RunState.CANCELLING;
    reason = "by an operator";
    timers.clear();
    for (Open open : List.copyOf(jobs.keySet())) {
      if (graph.steps().get(open.step()).part() == Graph.Part.MAIN) {
        end(open, StepState.CANCELLED, null);
      }
    }
    if (phase == RunPhase.MAIN) {
      phase = RunPhase.STOPPING;
    }
    return look();
  }

  /** Retries as a store does: failed items of maps run again, and their steps stay active. */
  FakeRun retry() {
    if (state.hasEnded()) {
      timers.clear(); // An ended run has neither.
      marks.clear();
    }
    String letters = planner.reset(definition, steps);
    StringBuilder open = new StringBuilder(letters);
    for (int step = 0; step < open.length(); step++) {
      if (open.charAt(step) == steps.charAt(step)) {
        continue;
      }
      replay.apply(RunEvent.Kind.STEP_RETRIED, step);
      int retried = step;
      results.remove(step);
      successes.removeIf(each -> each == retried);
      timers.removeIf(timer -> timer.step() == retried);
      marks.removeIf(mark -> mark.step() == retried);
      MapCounts counts = maps.get(step);
      boolean continues =
          counts != null
              && planner.isUnblocked(definition, step, letters)
              && retryItems(step, counts);
      if (!continues) {
        maps.remove(step);
        items.remove(step);
        succeededItems.removeIf(item -> item.step() == retried);
      } else {
        open.setCharAt(step, 'A');
        replay.apply(RunEvent.Kind.STEP_STARTED, step);
      }
    }
    steps = open.toString();
    state = RunState.RUNNING;
    phase = RunPhase.MAIN;
    reason = null;
    look();
    return advance();
  }

  /** Returns false if there is no element to run again: then the map starts over. */
  private boolean retryItems(int step, MapCounts counts) {
    boolean any = false;
    for (int item = 0; item < counts.inserted(); item++) {
      Open open = new Open(step, item);
      if (!succeededItems.contains(open)) {
        jobs.put(open, payloads.get(open));
        any = true;
      }
    }
    maps.put(step, new MapCounts(counts.total(), counts.inserted(), counts.succeeded(), 0, 0));
    return any;
  }
}
