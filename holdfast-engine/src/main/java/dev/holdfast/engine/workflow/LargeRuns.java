package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A planner that warns of runs whose outputs have half of the allowed size, once for each run and
 * node: the step that exceeds the limit fails.
 */
public final class LargeRuns implements RunPlanner {
  private static final Logger log = LoggerFactory.getLogger(LargeRuns.class);
  private static final int MOST_REMEMBERED = 10_000;

  private final RunPlanner planner;
  private final Meters meters;
  private final Map<RunId, Boolean> warned =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RunId, Boolean> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  public LargeRuns(RunPlanner planner, Meters meters) {
    this.planner = planner;
    this.meters = meters;
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
    if (isLarge(facts) && isFirst(facts.id())) {
      meters.largeRun();
      log.warn(
          "The outputs of run {} have {} bytes, and at most {} are allowed: let its steps return"
              + " references to large outputs",
          facts.id(),
          facts.bytes(),
          SizeLimit.MOST_BYTES);
    }
    return plan;
  }

  /** Returns whether the outputs of a run have half of the allowed size. */
  static boolean isLarge(RunFacts facts) {
    return facts.bytes() >= SizeLimit.MOST_BYTES / 2;
  }

  private boolean isFirst(RunId run) {
    synchronized (warned) {
      return warned.put(run, true) == null;
    }
  }
}
