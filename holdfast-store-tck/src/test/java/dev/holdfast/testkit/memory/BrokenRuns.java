package dev.holdfast.testkit.memory;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.tck.contract.Inconsistency;

/** Makes runs in memory inconsistent by changing their rows. */
public final class BrokenRuns {
  private BrokenRuns() {}

  public static void apply(InMemoryStore store, Inconsistency how, RunId run, int step) {
    store.tables.transaction(now -> {
      Tables tables = store.tables;
      StepRef ref = new StepRef(run, step, StepRef.NO_ITEM);
      switch (how) {
        case JOB_LOST -> {
          JobRow row = job(tables, ref);
          tables.putOnHold(row);
          tables.live.remove(row.id);
        }
        case RESULT_LOST -> {
          tables.runs.results.remove(ref);
          tables.runs.marks.remove(run);
        }
        case FAILURES_LOST -> job(tables, ref).failures.clear();
        case MARKS_LOST -> tables.runs.marks.remove(run);
        case JOB_READY -> {
          JobRow row = job(tables, ref);
          row.step = null;
          tables.queue(row, now);
          row.step = ref;
        }
        case JOB_ON_HOLD -> tables.putOnHold(job(tables, ref));
        case RUN_LOST -> tables.runs.open.remove(run);
      }
      return how;
    });
  }

  private static JobRow job(Tables tables, StepRef step) {
    return tables.all().filter(row -> step.equals(row.step)).findFirst().orElseThrow();
  }
}
