package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import java.util.HashMap;
import java.util.Map;

/** Remembers the plans of one advance, to learn from them when they have been carried out. */
public final class PlanRecorder implements RunPlanner {
  private final RunPlanner planner;
  private final KnownRuns known;
  private final Map<RunId, Planned> plans = new HashMap<>();

  private record Planned(RunFacts facts, RunData data, RunPlan plan) {}

  PlanRecorder(RunPlanner planner, KnownRuns known) {
    this.planner = planner;
    this.known = known;
  }

  @Override
  public boolean knows(int definition) {
    return planner.knows(definition);
  }

  @Override
  public void learn(Definitions.Stored definition) {
    planner.learn(definition);
  }

  @Override
  public RunData.Needs needs(RunFacts facts) {
    return planner.needs(facts);
  }

  @Override
  public RunPlan plan(RunFacts facts, RunData data) {
    RunPlan plan = planner.plan(facts, data);
    plans.put(facts.id(), new Planned(facts, data, plan)); // The last one is carried out.
    return plan;
  }

  /**
   * Learns what was planned.
   *
   * @param seqs the number of the last event of each run that is open
   */
  void learn(Map<RunId, Long> seqs) {
    plans.forEach((run, planned) -> {
      Long seq = seqs.get(run);
      if (seq == null) {
        known.forget(run);
      } else {
        known.learn(planned.facts, planned.data, planned.plan, seq);
      }
    });
  }
}
