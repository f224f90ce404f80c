package dev.holdfast.engine.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.engine.store.RunStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs the runs that are inconsistent with their jobs, and advances them in the same call, so
 * that the steps after a repaired one are decided even while no node is alive.
 */
final class StuckRuns {
  private static final Logger log = LoggerFactory.getLogger(StuckRuns.class);
  private static final int REPAIRS = 500;
  private static final int BATCH = 100;

  private final RunStore store;
  private final WorkflowCatalog catalog;
  private final SignalBus bus;

  StuckRuns(RunStore store, WorkflowCatalog catalog, SignalBus bus) {
    this.store = store;
    this.catalog = catalog;
    this.bus = bus;
  }

  /** Returns what was repaired, one line each. */
  List<String> recover() {
    List<String> repairs = new ArrayList<>();
    @Nullable RunId after = null;
    do {
      RunRepair.Report report = store.repair().repair(after, REPAIRS);
      repairs.addAll(report.repairs());
      advance(report.look());
      after = report.last();
    } while (after != null);
    return List.copyOf(repairs);
  }

  /** Advances runs and those that can continue because of them. Nodes get what is left. */
  private void advance(Set<RunId> runs) {
    Queue<RunId> open = new ArrayDeque<>(runs);
    boolean left = false;
    while (!open.isEmpty()) {
      List<RunId> batch = new ArrayList<>();
      while (!open.isEmpty() && batch.size() < BATCH) {
        batch.add(open.remove());
      }
      left |= !advance(batch, open);
    }
    if (left) {
      bus.publish(new Signal.RunsMarked(Duration.ZERO));
    }
  }

  /**
   * Advances a batch; one run at a time if one of them cannot be planned.
   *
   * @param next receives the runs that can continue now
   * @return false if a run has to be advanced by a node
   */
  private boolean advance(List<RunId> batch, Queue<RunId> next) {
    try {
      return advanceAll(batch, next);
    } catch (StoreException away) {
      bus.publish(new Signal.RunsMarked(Duration.ZERO)); // The repairs are committed.
      throw away;
    } catch (RuntimeException failure) {
      if (batch.size() > 1) {
        boolean all = true;
        for (RunId run : batch) {
          all &= advance(List.of(run), next);
        }
        return all;
      }
      log.warn(
          "Run {} was repaired, but could not be advanced here; a node advances it: {}",
          batch.getFirst(),
          failure.getMessage());
      return false;
    }
  }

  private boolean advanceAll(List<RunId> batch, Queue<RunId> next) {
    PlanRecorder recorder = catalog.recorder(catalog.planner());
    RunAdvance.Report report = store.advance().advance(batch, recorder);
    recorder.learn(report.seqs());
    Advancer.announce(report, bus);
    report
        .ended()
        .keySet()
        .forEach(run -> bus.publish(new Signal.JobEnded(new JobId(run.value()))));
    batch.forEach(bus::changed);
    next.addAll(report.next());
    return report.locked().isEmpty();
  }
}
