package dev.holdfast.engine.store;

/**
 * Decides how a run continues. Stores call it inside the transaction that has locked the run, so
 * that all stores decide alike. Apart from the ids of new jobs and runs, it is a pure function; a
 * store may call it more than once.
 */
public interface RunPlanner {

  /** Returns whether the planner knows the graph with this id in the store. */
  boolean knows(int definition);

  /** Makes a graph known. */
  void learn(Definitions.Stored definition);

  /** Returns what {@link #plan} needs to know about a run, whose graph the planner knows. */
  RunData.Needs needs(RunFacts facts);

  /** Returns how the run continues. */
  RunPlan plan(RunFacts facts, RunData data);
}
