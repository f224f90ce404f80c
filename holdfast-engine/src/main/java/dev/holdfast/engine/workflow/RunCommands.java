package dev.holdfast.engine.workflow;

import dev.holdfast.api.RunStateException;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.intake.StoreRetry;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Pauses, resumes, cancels, retries, signals and moves runs for clients. What is not possible in
 * the state of a run is refused with a {@link RunStateException} that says why.
 */
public final class RunCommands {
  private static final int MIDDLE_PRIORITY = 4;

  private final RunStore store;
  private final RunLookup lookup;
  private final WorkflowCatalog catalog;
  private final SignalBus bus;

  public RunCommands(RunStore store, RunLookup lookup, WorkflowCatalog catalog, SignalBus bus) {
    this.store = store;
    this.lookup = lookup;
    this.catalog = catalog;
    this.bus = bus;
  }

  void pause(RunId id) {
    RunControl.Result result = control("pause", id, c -> c.pause(id, "PAUSED: by request"));
    if (!result.done() && state(id, result) != RunState.PAUSED) {
      throw refused(id, result, "paused", "only a running one can be.");
    }
  }

  void resume(RunId id) {
    RunControl.Result result = control("resume", id, c -> c.resume(id));
    if (!result.done()) {
      throw refused(id, result, "resumed", "only a paused one can be.");
    }
  }

  void cancel(RunId id, String reason) {
    String text = Names.storable("Reason", reason);
    RunControl.Result result = control("cancel", id, c -> c.cancel(id, "CANCELLED: " + text));
    if (!result.done() && state(id, result) != RunState.CANCELLING) {
      throw refused(id, result, "cancelled", "it has ended.");
    }
  }

  void retry(RunId id) {
    RunRow row = lookup.row(id);
    if (row.parent() != null) {
      throw new RunStateException(
          id,
          row.state(),
          "retried alone",
          "retry its parent run %s, which has used its outcome.".formatted(row.parent().run()));
    }
    learn(row);
    RunControl.Result result = control("retry", id, c -> c.retry(id, catalog.reset()));
    if (!result.done()) {
      throw refused(
          id, result, "retried", "only one that failed, was cancelled or is paused can be.");
    }
  }

  void signal(RunId id, NewSignal signal) {
    RunControl.Result result = control("signal", id, c -> c.signal(id, signal));
    if (!result.done() && state(id, result).hasEnded()) {
      throw refused(id, result, "signalled", "it has ended.");
    }
  }

  List<String> move(RunId id, String hash, boolean dryRun) {
    RunRow row = lookup.row(id);
    WorkflowCatalog.Move move = catalog.move(row, hash);
    MovePlan plan = move.plan();
    if (dryRun) {
      return Stream.concat(
              plan.differences().stream(),
              plan.refusals().stream().map(refusal -> "cannot be moved: " + refusal))
          .toList();
    }
    if (row.state().hasEnded() || !plan.refusals().isEmpty()) {
      throw new RunStateException(
          id,
          row.state(),
          "moved",
          row.state().hasEnded()
              ? "it has ended: start a new run instead."
              : String.join("; ", plan.refusals()));
    }
    RunControl.Result result = carryOut(row, move);
    if (!result.done()) {
      throw refused(id, result, "moved", "it has changed in the meantime: try again.");
    }
    return plan.differences();
  }

  private RunControl.Result carryOut(RunRow row, WorkflowCatalog.Move move) {
    MovePlan plan = move.plan();
    RunControl.Move to =
        new RunControl.Move(
            row.steps(), move.definition(), plan.letters(), plan.positions(), plan.jobs());
    try {
      return control("move", row.id(), c -> c.move(row.id(), to));
    } catch (RetiredDefinitionException retired) {
      throw new RunStateException(
          row.id(),
          row.state(),
          "moved",
          "the graph was not used for a long time and is retired: start a program that has this version of workflow '%s', then try again."
              .formatted(row.workflow()));
    }
  }

  List<String> recoverStuck() {
    return new StuckRuns(store, catalog, bus).recover();
  }

  /**
   * Reads the graphs of a run and of the runs below it, which a retry opens again inside the
   * transaction of the store. Another process may have started them.
   */
  private void learn(RunRow row) {
    catalog.graph(row.definition(), row.hash());
    for (RunId child : store.control().children(row.id())) {
      store.queries().find(child).ifPresent(this::learn);
    }
  }

  /**
   * Carries out an operation, and notifies the nodes. After a lost reply it is repeated; a repeat
   * that finds nothing left to do counts as done, since the first call may have done it.
   */
  private RunControl.Result control(
      String what, RunId id, Function<RunControl, RunControl.Result> operation) {
    RunControl.Result result =
        StoreRetry.ask("%s run %s".formatted(what, id), before -> operation.apply(store.control()));
    if (result.before().isEmpty()) {
      throw new UnknownRunException(id);
    }
    result
        .ready()
        .forEach((queue, count) -> bus.publish(new Signal.NewWork(queue, MIDDLE_PRIORITY, count)));
    result.stopping().forEach(holder -> bus.publish(new Signal.HeartbeatRequested(holder)));
    if (!result.look().isEmpty()) {
      bus.publish(new Signal.RunsMarked(Duration.ZERO));
    }
    bus.changed(id);
    return result;
  }

  private static RunState state(RunId id, RunControl.Result result) {
    return result.before().orElseThrow(() -> new UnknownRunException(id));
  }

  private static RunStateException refused(
      RunId id, RunControl.Result result, String operation, String remedy) {
    return new RunStateException(id, state(id, result), operation, remedy);
  }
}
