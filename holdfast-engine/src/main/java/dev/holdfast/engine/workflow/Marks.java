package dev.holdfast.engine.workflow;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies what happened to a run since the last advance. Within one advance outcomes come before
 * signals, and signals before timeouts: what was in time counts.
 */
final class Marks {
  static final String TIMED_OUT = "TIMED_OUT";
  static final String DEADLINE = "DEADLINE";

  private final Draft draft;
  private final Maps maps;
  private final SizeLimit limit;

  Marks(Draft draft, Maps maps) {
    this.draft = draft;
    this.maps = maps;
    this.limit = new SizeLimit(draft);
  }

  void apply() {
    draft.facts().marks().stream()
        .filter(mark -> mark.kind() == RunMark.Kind.ENDED)
        .forEach(this::jobEnded);
    maps.settle();
    each(RunMark.Kind.SLEPT, this::slept);
    signals();
    each(RunMark.Kind.TIMED_OUT, this::timedOut);
    each(RunMark.Kind.DEADLINE, run -> deadline());
  }

  private void each(RunMark.Kind kind, IntConsumer action) {
    draft.facts().marks().stream()
        .filter(mark -> mark.kind() == kind)
        .mapToInt(RunMark::step)
        .distinct()
        .forEach(action);
  }

  private void jobEnded(RunMark mark) {
    int step = mark.step();
    if (draft.state(step) != StepState.ACTIVE || draft.node(step).work() instanceof Work.Map) {
      return;
    }
    if (mark.succeeded() > 0) {
      if (limit.isExceeded(step)) {
        limit.fail(step);
      } else {
        draft.ended(step, StepState.SUCCEEDED, null);
      }
    } else if (mark.failed() > 0) {
      boolean undo = draft.node(step).part() == Graph.Part.COMPENSATION;
      draft.ended(step, StepState.FAILED, undo ? Cleanup.COMPENSATION_FAILED : null);
    } else if (mark.cancelled() > 0) {
      draft.ended(step, StepState.CANCELLED, null);
    }
  }

  private void slept(int step) {
    if (draft.state(step) == StepState.WAITING && draft.node(step).work() instanceof Work.Sleep) {
      draft.succeeded(step, null);
    }
  }

  private void signals() {
    for (int step = 0; step < draft.index().size(); step++) {
      if (draft.state(step) == StepState.WAITING
          && draft.node(step).work() instanceof Work.Signal signal) {
        Demand demand = draft.demand();
        demand.signal(signal.signal());
        RunData.Signal sent = draft.has(demand) ? draft.consume(step, signal.signal()) : null;
        if (sent != null) {
          limit.succeed(step, sent.payload());
        }
      }
    }
  }

  private void timedOut(int step) {
    StepState state = draft.state(step);
    if (state != StepState.ACTIVE && state != StepState.WAITING) {
      return;
    }
    Graph.Node node = draft.node(step);
    if (node.work() instanceof Work.Signal signal && signal.otherwise() != null) {
      limit.succeed(step, signal.otherwise());
      return;
    }
    draft.failed(
        step,
        new RunData.Failure(
            TIMED_OUT, "Step '%s' did not end %s.".formatted(node.name(), within(node.timeout()))));
    if (state == StepState.ACTIVE) {
      draft.stop(step);
    }
  }

  /** A run that was moved may be in a graph without the limit that its timer was set for. */
  private static String within(@Nullable Duration limit) {
    return limit == null ? "in time" : "within " + Times.describe(limit);
  }

  /** The deadline limits the steps of the workflow; once they are done, cleanup is finished. */
  private void deadline() {
    boolean open = draft.state() == RunState.RUNNING || draft.state() == RunState.PAUSED;
    if (open && draft.phase() == RunPhase.MAIN) {
      String reason =
          "%s: the run did not end %s."
              .formatted(DEADLINE, within(draft.index().graph().deadline()));
      draft.become(RunState.CANCELLING, reason);
      draft.event(RunEvent.Kind.CANCELLING, -1, reason);
      new Cleanup(draft).stop();
    }
  }
}
