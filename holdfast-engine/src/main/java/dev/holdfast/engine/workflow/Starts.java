package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts or skips the steps of a part of the graph whose time has come. What creates something is
 * held back until the whole part was judged: if a step fails at its start and with it the run,
 * nothing was created that would have to be cancelled at once.
 */
final class Starts {
  private final Draft draft;
  private final Jobs jobs;
  private final Maps maps;
  private final Children children;
  private final Rules rules;
  private final List<Start> held = new ArrayList<>();

  /** A step that is about to start. */
  private record Start(int step, Runnable creation) {}

  Starts(Draft draft, Jobs jobs, Maps maps, Children children) {
    this.draft = draft;
    this.jobs = jobs;
    this.maps = maps;
    this.children = children;
    this.rules = new Rules(draft.index(), draft::state);
  }

  /** Judges the steps of a part, in an order in which dependencies come first. */
  void judge(Graph.Part part) {
    for (int step = 0; step < draft.index().size(); step++) {
      if (draft.node(step).part() == part && draft.state(step) == StepState.PENDING) {
        judge(step);
      } else if (draft.node(step).part() == part && isMapWithoutJobs(step)) {
        start(step);
      }
    }
  }

  /** A retry opens a map again without knowing whether its list was ever read. */
  private boolean isMapWithoutJobs(int step) {
    return draft.state(step) == StepState.ACTIVE
        && draft.node(step).work() instanceof Work.Map
        && !draft.facts().maps().containsKey(step);
  }

  private void judge(int step) {
    boolean due = rules.isDue(step);
    if (!due && !draft.node(step).eager()) {
      return;
    }
    Rules.Truth truth = rules.judge(step, null);
    if (due && truth == Rules.Truth.UNKNOWN) {
      // Together with what its start needs: otherwise each advance would ask for one of them only.
      Demand demand = startDemand(step);
      demand.outputs(draft.index().sources(step));
      if (!draft.has(demand)) {
        return;
      }
      try {
        truth = rules.judge(step, draft.payloads().context(step));
      } catch (StepFailed failed) {
        draft.failed(step, failed.failure());
        return;
      }
    }
    if (truth == Rules.Truth.TRUE) {
      start(step);
    } else if (due) {
      draft.skipped(step, null);
    }
  }

  /** Starts a step, or holds its start back. */
  void start(int step) {
    if (!draft.has(startDemand(step))) {
      return;
    }
    try {
      switch (draft.node(step).work()) {
        case Work.Task task -> startTask(step, task);
        case Work.Map map -> startMap(step, map);
        case Work.Child child -> startChild(step, child);
        case Work.Sleep sleep -> hold(step, () -> sleep(step, sleep));
        case Work.Signal signal -> awaitSignal(step, signal);
      }
    } catch (StepFailed failed) {
      draft.failed(step, failed.failure());
    }
  }

  /** Returns what must be known to start a step. */
  private Demand startDemand(int step) {
    Demand demand = draft.demand();
    switch (draft.node(step).work()) {
      case Work.Task task -> demand.input(step, task.payload());
      case Work.Map map -> demand.input(step, map.items());
      case Work.Child child -> {
        demand.input(step, child.input());
        if (!children.knows(child)) {
          demand.definition(child.hash());
        }
      }
      case Work.Sleep sleep -> {}
      case Work.Signal signal -> demand.signal(signal.signal());
    }
    return demand;
  }

  private void startTask(int step, Work.Task task) throws StepFailed {
    if (isFull()) {
      return;
    }
    String payload = draft.payloads().text(step, task.payload());
    draft.reserve(1);
    hold(
        step,
        () -> {
          String id = jobs.create(step, StepRef.NO_ITEM, task.job(), payload).toString();
          draft.started(step, id);
          timeout(step);
        });
  }

  private void startMap(int step, Work.Map map) throws StepFailed {
    if (isFull()) {
      return;
    }
    List<String> items = draft.payloads().items(step, map);
    if (items.isEmpty()) {
      draft.succeeded(step, "[]");
      return;
    }
    int wanted = Math.min(items.size(), Maps.window(map));
    int count = Math.min(wanted, draft.room());
    if (count < wanted) {
      draft.another();
    }
    draft.reserve(count);
    hold(
        step,
        () -> {
          draft.reserve(-count);
          maps.insert(step, map, items, 0, count);
          draft.started(step, items.size() + " elements");
          timeout(step);
        });
  }

  private void startChild(int step, Work.Child child) throws StepFailed {
    if (isFull()) {
      return;
    }
    if (!children.knows(child)) {
      throw new StepFailed(
          StepFailed.UNKNOWN_WORKFLOW,
          "The graph of child workflow '%s' (%s) is not stored."
              .formatted(child.workflow(), child.hash()));
    }
    String input = draft.payloads().text(step, child.input());
    NewRun.Gate gate = children.gate(child, input);
    hold(
        step,
        () -> {
          draft.started(step, children.create(step, child, input, gate).toString());
          timeout(step);
        });
  }

  private void sleep(int step, Work.Sleep sleep) {
    draft.waits(step, sleep.time().toString());
    draft.timer(step, RunMark.Kind.SLEPT, sleep.time());
    timeout(step);
  }

  private void awaitSignal(int step, Work.Signal signal) {
    RunData.Signal sent = draft.consume(step, signal.signal());
    if (sent != null) {
      new SizeLimit(draft).succeed(step, sent.payload());
    } else {
      hold(
          step,
          () -> {
            draft.waits(step, signal.signal());
            timeout(step);
          });
    }
  }

  private boolean isFull() {
    if (draft.room() <= 0) {
      draft.another();
      return true;
    }
    return false;
  }

  private void timeout(int step) {
    Duration timeout = draft.node(step).timeout();
    if (timeout != null) {
      draft.timer(step, RunMark.Kind.TIMED_OUT, timeout);
    }
  }

  private void hold(int step, Runnable creation) {
    draft.hold(step);
    held.add(new Start(step, creation));
  }

  /** Starts what was held back. */
  void commit() {
    if (!draft.isRehearsal()) {
      held.forEach(start -> start.creation().run());
    }
    held.clear();
  }

  /** Leaves what was held back pending. */
  void release() {
    held.forEach(start -> draft.release(start.step()));
    held.clear();
  }
}
