package dev.holdfast.tck.contract;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.FormerJob;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * A planner that a test controls, because stores do not read graphs. Unless a test sets a script,
 * every run is a chain: each step is one job that starts when the step before it has succeeded.
 */
public final class ScriptedPlanner implements RunPlanner {
  private final Map<Integer, Stored> known = new TreeMap<>();
  private final List<RunFacts> facts = new ArrayList<>();
  private final List<RunData> data = new ArrayList<>();
  private RunData.Needs needs = RunData.Needs.NOTHING;
  private BiFunction<RunFacts, RunData, RunPlan> script = (seen, read) -> chain(seen).build();

  /** Sets how runs continue from now on. */
  public ScriptedPlanner script(BiFunction<RunFacts, RunData, RunPlan> next) {
    this.script = next;
    return this;
  }

  public ScriptedPlanner needs(RunData.Needs what) {
    this.needs = what;
    return this;
  }

  /** The facts of each plan so far. */
  public List<RunFacts> facts() {
    return List.copyOf(facts);
  }

  public RunFacts lastFacts() {
    return facts.getLast();
  }

  public RunData lastData() {
    return data.getLast();
  }

  public Map<Integer, Stored> known() {
    return known;
  }

  @Override
  public boolean knows(int definition) {
    return known.containsKey(definition);
  }

  @Override
  public void learn(Stored definition) {
    known.put(definition.id(), definition);
  }

  @Override
  public RunData.Needs needs(RunFacts seen) {
    return needs;
  }

  @Override
  public RunPlan plan(RunFacts seen, RunData read) {
    facts.add(seen);
    data.add(read);
    return script.apply(seen, read);
  }

  /** Continues a chain: applies the marks, and starts the next step or ends the run. */
  public static PlanDraft chain(RunFacts facts) {
    PlanDraft plan = applied(facts);
    boolean busy = plan.steps().indexOf('A') >= 0 || plan.steps().indexOf('W') >= 0;
    if (facts.state() == RunState.PAUSED || busy) {
      return plan;
    }
    if (facts.state() == RunState.CANCELLING) {
      return plan.phase(RunPhase.FINALLY).end(RunState.CANCELLED, null);
    }
    if (plan.steps().indexOf('F') >= 0 || plan.steps().indexOf('C') >= 0) {
      return plan.reason("STEP_FAILED").end(RunState.FAILED, null);
    }
    int next = plan.steps().indexOf('.');
    if (next < 0) {
      return plan.end(RunState.SUCCEEDED, "\"all\"");
    }
    FormerJob former = facts.former().get(next);
    return former == null ? plan.job(next) : plan.job(next, new JobDraft().id(former.id()));
  }

  /** Applies the marks of a run, and starts nothing. */
  public static PlanDraft applied(RunFacts facts) {
    PlanDraft plan = new PlanDraft(facts);
    for (RunMark mark : facts.marks()) {
      switch (mark.kind()) {
        case ENDED -> ended(plan, facts, mark);
        case SLEPT, TIMED_OUT -> plan.letter(mark.step(), StepState.SUCCEEDED);
        case DEADLINE, LOOK -> {}
      }
    }
    if (facts.state() == RunState.CANCELLING) {
      for (int step = 0; step < facts.steps().length(); step++) {
        switch (plan.steps().charAt(step)) {
          case '.' -> plan.letter(step, StepState.SKIPPED);
          case 'W' -> plan.letter(step, StepState.CANCELLED);
          default -> {}
        }
      }
    }
    return plan;
  }

  private static void ended(PlanDraft plan, RunFacts facts, RunMark mark) {
    MapCounts map = facts.maps().get(mark.step());
    if (plan.steps().charAt(mark.step()) != 'A' || (map != null && map.open() > 0)) {
      return;
    }
    int failed = map == null ? mark.failed() : map.failed();
    int cancelled = map == null ? mark.cancelled() : map.cancelled();
    if (failed > 0) {
      plan.letter(mark.step(), StepState.FAILED).event(RunEvent.Kind.STEP_FAILED, mark.step());
    } else if (cancelled > 0) {
      plan.letter(mark.step(), StepState.CANCELLED)
          .event(RunEvent.Kind.STEP_CANCELLED, mark.step());
    } else {
      plan.letter(mark.step(), StepState.SUCCEEDED)
          .event(RunEvent.Kind.STEP_SUCCEEDED, mark.step());
    }
  }
}
