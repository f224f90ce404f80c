package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A plan while it is being computed: the run as it will be, and what must be written for that. Each
 * change of a step is recorded as an event, so that the events reproduce the states.
 */
final class Draft {
  /** How many jobs a plan may create. */
  static final int MOST_JOBS = 2_000;

  private final GraphIndex index;
  private final RunFacts facts;
  private final RunData data;
  private final RunData.Needs asked;
  private final StepState[] states;
  private final Demand wanted;
  private final Payloads payloads;
  private final List<RunPlan.Job> jobs = new ArrayList<>();
  private final List<NewRun> children = new ArrayList<>();
  private final Map<Integer, RunPlan.MapSize> maps = new TreeMap<>();
  private final List<RunPlan.Timer> timers = new ArrayList<>();
  private final Set<Integer> untimed = new HashSet<>();
  private final Set<Integer> stopped = new HashSet<>();
  private final Map<Integer, RunPlan.Result> results = new TreeMap<>();
  private final Set<Integer> known = new HashSet<>();
  private final Map<Integer, RunData.Signal> consumed = new HashMap<>();
  private final Set<RunData.Signal> used = new HashSet<>();
  private final List<RunPlan.Event> events = new ArrayList<>();
  private final Set<Integer> failedNow = new HashSet<>();
  private RunState state;
  private RunPhase phase;
  private @Nullable String reason;
  private @Nullable String result;
  private @Nullable String summary;
  private long bytes;
  private int room;
  private boolean more;
  private boolean rehearsal;

  /**
   * Creates a draft.
   *
   * @param asked what was read into the data
   * @param room how many jobs it may create
   */
  Draft(GraphIndex index, RunFacts facts, RunData data, RunData.Needs asked, int room) {
    this.index = index;
    this.facts = facts;
    this.data = data;
    this.asked = asked;
    this.bytes = facts.bytes();
    this.room = room;
    this.states = new StepState[facts.steps().length()];
    for (int step = 0; step < states.length; step++) {
      states[step] = StepState.of(facts.steps().charAt(step));
    }
    this.state = facts.state();
    this.phase = facts.phase();
    this.reason = facts.reason();
    this.wanted = new Demand(index, this::state);
    this.payloads = new Payloads(index, facts, data, this::state, results);
  }

  /** Creates a draft that only finds out what a plan needs to know. */
  static Draft rehearsal(GraphIndex index, RunFacts facts) {
    Draft draft = new Draft(index, facts, RunData.NONE, RunData.Needs.NOTHING, MOST_JOBS);
    draft.rehearsal = true;
    return draft;
  }

  /** Returns whether the plan is discarded, so that nothing need be created. */
  boolean isRehearsal() {
    return rehearsal;
  }

  GraphIndex index() {
    return index;
  }

  Graph.Node node(int step) {
    return index.node(step);
  }

  RunFacts facts() {
    return facts;
  }

  RunData data() {
    return data;
  }

  Payloads payloads() {
    return payloads;
  }

  StepState state(int step) {
    return states[step];
  }

  RunState state() {
    return state;
  }

  RunPhase phase() {
    return phase;
  }

  @Nullable String reason() {
    return reason;
  }

  Demand demand() {
    return new Demand(index, this::state);
  }

  /**
   * Returns whether a demand is met. Otherwise it is noted for the next advance, which decides what
   * this one cannot.
   */
  boolean has(Demand demand) {
    if (demand.isMet(asked, known)) {
      return true;
    }
    wanted.add(demand);
    more = true;
    return false;
  }

  /** Returns what was wanted and not known. */
  RunData.Needs needs() {
    return wanted.needs();
  }

  /** Asks for another advance, because this one cannot do all there is to do. */
  void another() {
    more = true;
  }

  /** Returns whether a part of the graph has a step in one of these states. */
  boolean any(Graph.Part part, Set<StepState> wantedStates) {
    for (int step = 0; step < states.length; step++) {
      if (node(step).part() == part && wantedStates.contains(states[step])) {
        return true;
      }
    }
    return false;
  }

  /** Returns why a step failed, as far as it is known. */
  RunData.@Nullable Failure failure(int step) {
    RunPlan.Result planned = results.get(step);
    return planned != null ? planned.failure() : data.failures().get(step);
  }

  /** Returns the steps that failed or were cancelled in this advance. */
  Set<Integer> failedNow() {
    return failedNow;
  }

  /** Returns the size of the outputs of the run, with those of this plan. */
  long bytes() {
    return bytes;
  }

  int room() {
    return room;
  }

  void reserve(int count) {
    room -= count;
  }

  void become(RunState next, @Nullable String why) {
    state = next;
    reason = why;
  }

  void enter(RunPhase next) {
    phase = next;
  }

  void event(RunEvent.Kind kind, int step, @Nullable String detail) {
    events.add(new RunPlan.Event(kind, step, detail));
  }

  void started(int step, @Nullable String detail) {
    states[step] = StepState.ACTIVE;
    event(RunEvent.Kind.STEP_STARTED, step, detail);
  }

  void waits(int step, @Nullable String detail) {
    states[step] = StepState.WAITING;
    event(RunEvent.Kind.STEP_WAITING, step, detail);
  }

  /** Marks a step as about to start, without an event: it is started or released later. */
  void hold(int step) {
    states[step] = StepState.ACTIVE;
  }

  void release(int step) {
    states[step] = StepState.PENDING;
  }

  void skipped(int step, @Nullable String detail) {
    states[step] = StepState.SKIPPED;
    event(RunEvent.Kind.STEP_SKIPPED, step, detail);
  }

  /** Ends a step whose result is stored already. */
  void ended(int step, StepState outcome, @Nullable String detail) {
    boolean ran = states[step] != StepState.PENDING;
    states[step] = outcome;
    if (ran && (node(step).timeout() != null || node(step).work() instanceof Graph.Work.Sleep)) {
      untimed.add(step);
    }
    switch (outcome) {
      case SUCCEEDED -> event(RunEvent.Kind.STEP_SUCCEEDED, step, detail);
      case FAILED -> event(RunEvent.Kind.STEP_FAILED, step, detail);
      case CANCELLED -> event(RunEvent.Kind.STEP_CANCELLED, step, detail);
      default -> throw new IllegalArgumentException("A step does not end as " + outcome);
    }
    if (outcome != StepState.SUCCEEDED) {
      failedNow.add(step);
    }
  }

  void succeeded(int step, @Nullable String output) {
    known.add(step);
    result(step, StepState.SUCCEEDED, output, null);
    ended(step, StepState.SUCCEEDED, null);
  }

  /** Ends a map, whose output is made of those of its jobs. */
  void mapSucceeded(int step) {
    result(step, StepState.SUCCEEDED, null, null);
    ended(step, StepState.SUCCEEDED, null);
  }

  void failed(int step, RunData.Failure failure) {
    known.add(step);
    result(step, StepState.FAILED, null, failure);
    ended(step, StepState.FAILED, failure.describe());
  }

  void cancelled(int step) {
    result(step, StepState.CANCELLED, null, null);
    ended(step, StepState.CANCELLED, null);
  }

  private void result(
      int step, StepState outcome, @Nullable String output, RunData.@Nullable Failure failure) {
    results.put(step, new RunPlan.Result(step, StepRef.NO_ITEM, outcome, output, failure));
    bytes += output == null ? 0 : Utf8Length.bytes(output);
  }

  /** Uses the oldest signal of a name, once; null if there is none. */
  RunData.@Nullable Signal consume(int step, String name) {
    RunData.Signal signal = data.signals().get(name);
    if (signal == null) {
      return null;
    }
    if (!used.add(signal)) {
      another();
      return null;
    }
    consumed.put(step, signal);
    return signal;
  }

  void job(RunPlan.Job job) {
    jobs.add(job);
  }

  void child(NewRun run) {
    children.add(run);
  }

  void map(int step, int total, int inserted) {
    maps.put(step, new RunPlan.MapSize(total, inserted));
  }

  void timer(int step, RunMark.Kind kind, Duration in) {
    timers.add(new RunPlan.Timer(step, kind, in));
  }

  void untime(int step) {
    untimed.add(step);
  }

  void stop(int step) {
    stopped.add(step);
  }

  void finish(RunState end, @Nullable String why, @Nullable String output, String text) {
    become(end, why);
    result = output;
    summary = text;
    more = false;
    event(RunEvent.Kind.ENDED, -1, why == null ? end.name() : end.name() + ": " + why);
  }

  RunPlan plan() {
    StringBuilder letters = new StringBuilder(states.length);
    for (StepState each : states) {
      letters.append(each.letter());
    }
    return new RunPlan(
        state,
        phase,
        letters.toString(),
        reason,
        List.copyOf(jobs),
        List.copyOf(children),
        Map.copyOf(maps),
        List.copyOf(timers),
        Set.copyOf(untimed),
        Set.copyOf(stopped),
        List.copyOf(results.values()),
        Map.copyOf(consumed),
        List.copyOf(events),
        result,
        summary,
        more);
  }
}
