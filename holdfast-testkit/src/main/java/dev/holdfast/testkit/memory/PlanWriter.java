package dev.holdfast.testkit.memory;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates runs and carries out plans. */
final class PlanWriter {
  private final Tables tables;
  private final RunTables runs;
  private final RunEndings endings;

  PlanWriter(Tables tables, RunEndings endings) {
    this.tables = tables;
    this.runs = tables.runs;
    this.endings = endings;
  }

  /** Returns the row of a new run that is not stored yet. */
  StoredRun row(NewRun run, Instant now) {
    return new StoredRun(run, now);
  }

  /** Stores a run, and carries out its first plan if it need not wait. */
  void create(StoredRun row, NewRun run, boolean queued, RunEffects effects, Instant now) {
    runs.open.put(row.id, row);
    runs.takeKey(row, now);
    for (RunPlan.Result inherited : run.content().inherited()) {
      runs.put(
          new StepRef(row.id, inherited.step(), inherited.item()), StepResult.of(inherited, now));
      if (inherited.item() != StepRef.NO_ITEM) {
        row.maps.merge(inherited.step(), one(inherited.outcome()), PlanWriter::sum);
      }
    }
    if (queued) {
      row.state = RunState.QUEUED;
      row.steps = run.waitingSteps();
      runs.event(row.id, RunEvent.Kind.CREATED, null, now);
      run.waitingEvents().forEach(event -> runs.event(row.id, event, now));
      runs.event(row.id, RunEvent.Kind.QUEUED, null, now);
    } else {
      carryOut(Map.of(row, run.first()), effects, now);
    }
  }

  /** Returns the counts of a map with one element, which has ended. */
  private static MapCounts one(StepState outcome) {
    return new MapCounts(
        1,
        1,
        outcome == StepState.SUCCEEDED ? 1 : 0,
        outcome == StepState.FAILED ? 1 : 0,
        outcome == StepState.CANCELLED ? 1 : 0);
  }

  private static MapCounts sum(MapCounts one, MapCounts other) {
    return new MapCounts(
        one.total() + other.total(),
        one.inserted() + other.inserted(),
        one.succeeded() + other.succeeded(),
        one.failed() + other.failed(),
        one.cancelled() + other.cancelled());
  }

  /**
   * Carries out plans. What a plan does to child runs comes after all plans were written: one of
   * them may be that of such a child.
   */
  void carryOut(Map<StoredRun, RunPlan> planned, RunEffects effects, Instant now) {
    Map<StoredRun, RunState> before = new LinkedHashMap<>();
    planned.forEach((run, plan) -> {
      before.put(run, run.state);
      write(run, plan, effects, now);
    });
    planned.forEach((run, plan) -> {
      plan.stopped().stream().sorted().forEach(step -> endings.stop(run, step, effects, now));
      if (plan.state() == RunState.PAUSED && before.get(run) != RunState.PAUSED) {
        pauseBelow(run, now);
      }
    });
    planned.forEach((run, plan) -> {
      if (plan.state().hasEnded()) {
        run.result = plan.result();
        run.summary = plan.summary();
        endings.end(run, plan.state(), effects, now);
      }
    });
  }

  private void pauseBelow(StoredRun run, Instant now) {
    runs.tree(run).stream()
        .filter(below -> below != run && below.state == RunState.RUNNING)
        .forEach(below -> endings.pause(below, "The run that started this run is paused.", now));
  }

  private void write(StoredRun run, RunPlan plan, RunEffects effects, Instant now) {
    if (!plan.state().hasEnded()) {
      run.state = plan.state();
    }
    run.phase = plan.phase();
    run.steps = plan.steps();
    run.reason = plan.reason();
    for (RunPlan.Result result : plan.results()) {
      runs.replace(run, result, now);
    }
    writeTimers(run, plan, effects, now);
    writeMaps(run, plan);
    plan.consumed().forEach((step, signal) -> use(run.id, step, signal));
    if (run.state == RunState.PAUSED) {
      endings.hold(run);
    }
    plan.jobs().forEach(job -> insert(run, job, effects, now));
    plan.children().forEach(child -> createChild(child, effects, now));
    plan.events().forEach(event -> runs.event(run.id, event, now));
    if (plan.more()) {
      runs.look(run.id);
      effects.look.add(run.id);
    }
  }

  private void writeTimers(StoredRun run, RunPlan plan, RunEffects effects, Instant now) {
    plan.untimed().forEach(step -> runs.untime(run.id, step));
    for (RunPlan.Timer timer : plan.timers()) {
      runs.set(run.id, new RunTables.Timer(timer.step(), timer.kind(), now.plus(timer.in())));
      effects.timer(timer.in());
    }
  }

  private static void writeMaps(StoredRun run, RunPlan plan) {
    plan.maps()
        .forEach((step, size) ->
            run.maps.merge(
                step,
                new MapCounts(size.total(), size.inserted(), 0, 0, 0),
                (old, sized) ->
                    new MapCounts(
                        sized.total(),
                        sized.inserted(),
                        old.succeeded(),
                        old.failed(),
                        old.cancelled())));
  }

  private void insert(StoredRun run, RunPlan.Job job, RunEffects effects, Instant now) {
    JobRow former = run.retried ? tables.find(job.job().id()) : null;
    if (former != null) {
      tables.revive(former, now);
      effects.queued(former);
      return;
    }
    if (run.retried) {
      StepRef step = job.job().content().stamp().step();
      tables.deadLetter.values().removeIf(row -> row.step != null && row.step.equals(step));
    }
    run.count(job.job());
    JobRow row = new JobRow(job.job(), tables.nextSequence(), now);
    tables.insert(row, now);
    effects.queued(row);
  }

  /** Creates a child run. If its gate skips it, its step is cancelled. */
  private void createChild(NewRun child, RunEffects effects, Instant now) {
    StoredRun row = row(child, now);
    boolean full = endings.isGateFull(row);
    if (full && child.content().gate() != null) {
      switch (child.content().gate().onFull()) {
        case SKIP -> {
          skipped(child, effects, now);
          return;
        }
        case REPLACE -> replace(row, effects, now);
        case QUEUE -> {}
      }
    }
    create(row, child, full, effects, now);
  }

  /** Cancels the runs behind the gate of a new one. */
  void replace(StoredRun row, RunEffects effects, Instant now) {
    String reason = "Replaced by run %s.".formatted(row.id);
    List<StoredRun> queued = endings.queuedBehindGateOf(row);
    queued.forEach(other -> endings.cancel(other, reason, effects, now));
    endings.activeBehindGateOf(row).forEach(other -> endings.cancel(other, reason, effects, now));
  }

  private void skipped(NewRun child, RunEffects effects, Instant now) {
    StepRef parent = child.content().parent();
    if (parent != null) {
      StepResult result =
          StepResult.without(
              StepState.CANCELLED,
              null,
              new RunData.Failure("RUN_SKIPPED", "The maximum number of runs is active."),
              now);
      runs.put(parent, result);
      runs.mark(parent.run(), result.mark(parent.step()));
      effects.look.add(parent.run());
    }
  }

  private void use(RunId run, int step, RunData.Signal used) {
    List<RunTables.SentSignal> sent = runs.signals.getOrDefault(run, List.of());
    for (int i = 0; i < sent.size(); i++) {
      RunTables.SentSignal signal = sent.get(i);
      if (signal.name().equals(used.name()) && signal.id().equals(used.id())) {
        sent.set(i, new RunTables.SentSignal(signal.name(), signal.id(), signal.payload(), step));
      }
    }
  }

  /** Returns the oldest signal of a name that no step has used. */
  RunData.@Nullable Signal oldestSignal(RunId run, String name) {
    return runs.signals.getOrDefault(run, List.of()).stream()
        .filter(signal -> signal.name().equals(name) && signal.usedBy() == null)
        .map(signal -> new RunData.Signal(signal.name(), signal.id(), signal.payload()))
        .findFirst()
        .orElse(null);
  }
}
