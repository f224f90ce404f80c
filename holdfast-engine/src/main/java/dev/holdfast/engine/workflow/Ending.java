package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.workflow.Graph.Part;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Decides whether a run fails, and how it ends. It decides by the states of steps alone, so that a
 * pause in between, which replaces the reason of the run, changes nothing.
 */
final class Ending {
  static final String STEP_FAILED = "STEP_FAILED";
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final Draft draft;

  Ending(Draft draft) {
    this.draft = draft;
  }

  /** Returns the first step whose failure fails the run at once; -1 if there is none. */
  int failing() {
    return first(step -> draft.node(step).part() == Part.MAIN && hasFailed(step, OnError.FAIL));
  }

  /** Returns the first step whose failure in this advance pauses the run; -1 if there is none. */
  int pausing() {
    return first(step ->
        draft.node(step).part() != Part.COMPENSATION
            && hasFailed(step, OnError.PAUSE)
            && draft.failedNow().contains(step));
  }

  private boolean hasFailed(int step, OnError reaction) {
    return isFailure(draft.state(step)) && draft.node(step).onError() == reaction;
  }

  private static boolean isFailure(StepState state) {
    return state == StepState.FAILED || state == StepState.CANCELLED;
  }

  private int first(IntPredicate wanted) {
    for (int step = 0; step < draft.index().size(); step++) {
      if (wanted.test(step)) {
        return step;
      }
    }
    return -1;
  }

  /** Returns whether {@link #reason} can be computed. */
  boolean knowsReason(int step) {
    if (draft.state(step) != StepState.FAILED) {
      return true;
    }
    Demand demand = draft.demand();
    demand.failure(step);
    return draft.has(demand);
  }

  /** Returns why a run fails or is paused because of a step. */
  String reason(int step) {
    String name = draft.node(step).name();
    String what =
        switch (draft.state(step)) {
          case CANCELLED -> "was cancelled";
          case SKIPPED -> "must succeed, but was skipped";
          default -> "failed";
        };
    RunData.Failure failure = draft.state(step) == StepState.FAILED ? draft.failure(step) : null;
    return "%s: step '%s' %s%s"
        .formatted(STEP_FAILED, name, what, failure == null ? "" : ": " + failure.describe());
  }

  /** Ends the run, unless something that is needed for it must be read first. */
  void end() {
    if (draft.state() == RunState.CANCELLING) {
      String reason = draft.reason();
      boolean late = reason != null && reason.startsWith(Marks.DEADLINE);
      finish(late ? RunState.FAILED : RunState.CANCELLED, reason, null);
      return;
    }
    int step = culprit();
    if (step < 0) {
      succeed();
    } else if (knowsReason(step)) {
      finish(RunState.FAILED, reason(step), null);
    }
  }

  /** Returns the first step because of which the run fails; -1 if it succeeds. */
  private int culprit() {
    int failing = failing();
    if (failing >= 0) {
      return failing;
    }
    if (!draft.index().graph().required().isEmpty()) {
      return first(step ->
          draft.index().graph().required().contains(step)
              && draft.state(step) != StepState.SUCCEEDED);
    }
    return first(step ->
        draft.node(step).part() != Part.COMPENSATION
            && isFailure(draft.state(step))
            && draft.node(step).onError() != OnError.CONTINUE);
  }

  private void succeed() {
    Graph.Input source = draft.index().graph().result();
    if (source == null) {
      finish(RunState.SUCCEEDED, null, null);
      return;
    }
    Demand demand = draft.demand();
    switch (source) {
      case Graph.Input.Context context -> demand.outputs(draft.index().main());
      case Graph.Input.Output output -> demand.output(output.step());
      case Graph.Input.RunInput input -> {}
      case Graph.Input.Constant constant -> {}
      case Graph.Input.Compensated compensated -> {}
    }
    if (!draft.has(demand)) {
      return;
    }
    try {
      finish(RunState.SUCCEEDED, null, draft.payloads().result(source));
    } catch (StepFailed failed) {
      finish(RunState.FAILED, failed.failure().describe(), null);
    }
  }

  private void finish(RunState state, @Nullable String reason, @Nullable String result) {
    for (int step = 0; step < draft.index().size(); step++) {
      if (!draft.state(step).hasEnded()) {
        draft.skipped(step, null);
      }
    }
    ObjectNode summary =
        MAPPER
            .createObjectNode()
            .put("run", draft.facts().id().toString())
            .put("workflow", draft.index().graph().name())
            .put("state", state.name());
    summary.set("result", result == null ? null : json(result));
    summary.put("reason", reason);
    draft.finish(state, reason, result, MAPPER.writeValueAsString(summary));
  }

  /** A result of a codec that does not write JSON is passed on as text. */
  private static JsonNode json(String result) {
    try {
      return MAPPER.readTree(result);
    } catch (JacksonException notJson) {
      return MAPPER.getNodeFactory().stringNode(result);
    }
  }
}
