package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.ConditionCheck;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Judges rules in three-valued logic: what depends on a step that is still open, or on a context
 * that is not known, is unknown.
 */
final class Rules {
  private final GraphIndex index;
  private final IntFunction<StepState> states;

  Rules(GraphIndex index, IntFunction<StepState> states) {
    this.index = index;
    this.states = states;
  }

  /** A value of three-valued logic. */
  enum Truth {
    FALSE,
    UNKNOWN,
    TRUE;

    static Truth of(boolean value) {
      return value ? TRUE : FALSE;
    }

    Truth not() {
      return switch (this) {
        case FALSE -> TRUE;
        case UNKNOWN -> UNKNOWN;
        case TRUE -> FALSE;
      };
    }
  }

  /** Returns whether all dependencies of a step have ended. */
  boolean isDue(int step) {
    return index.node(step).after().stream().allMatch(before -> states.apply(before).hasEnded());
  }

  /**
   * Judges the rule of a step.
   *
   * @param context the context of the step; null if it is not known
   */
  Truth judge(int step, @Nullable JsonNode context) {
    Graph.Node node = index.node(step);
    return judge(node.rule(), node.after(), context);
  }

  private Truth judge(Rule rule, List<Integer> after, @Nullable JsonNode context) {
    Count count = new Count(after);
    return switch (rule) {
      case Rule.AllSucceeded all -> count.atLeast(count.succeeded, after.size());
      case Rule.AnySucceeded any -> count.atLeast(count.succeeded, 1);
      case Rule.AllDone done -> count.open == 0 ? Truth.TRUE : Truth.UNKNOWN;
      case Rule.NoneFailed none -> count.atLeast(count.failed, 1).not();
      case Rule.AnyFailed any -> count.atLeast(count.failed, 1);
      case Rule.Quorum quorum -> count.atLeast(count.succeeded, quorum.count());
      case Rule.Ended ended -> judge(ended);
      case Rule.OnContext on ->
          context == null ? Truth.UNKNOWN : Truth.of(ConditionCheck.meets(context, on.condition()));
      case Rule.All all -> least(all.rules(), after, context);
      case Rule.Any any -> most(any.rules(), after, context);
      case Rule.None none -> most(none.rules(), after, context).not();
    };
  }

  private Truth judge(Rule.Ended rule) {
    Integer step = index.position(rule.step());
    if (step == null) {
      return Truth.FALSE;
    }
    StepState state = states.apply(step);
    if (!state.hasEnded()) {
      return Truth.UNKNOWN;
    }
    return Truth.of(
        switch (rule.outcome()) {
          case SUCCEEDED -> state == StepState.SUCCEEDED;
          case FAILED -> state == StepState.FAILED || state == StepState.CANCELLED;
          case SKIPPED -> state == StepState.SKIPPED;
        });
  }

  private Truth least(List<Rule> rules, List<Integer> after, @Nullable JsonNode context) {
    Truth least = Truth.TRUE;
    for (Rule rule : rules) {
      Truth each = judge(rule, after, context);
      least = each.compareTo(least) < 0 ? each : least;
    }
    return least;
  }

  private Truth most(List<Rule> rules, List<Integer> after, @Nullable JsonNode context) {
    Truth most = Truth.FALSE;
    for (Rule rule : rules) {
      Truth each = judge(rule, after, context);
      most = each.compareTo(most) > 0 ? each : most;
    }
    return most;
  }

  /** How the dependencies of a step have ended. */
  private final class Count {
    private int open;
    private int succeeded;
    private int failed;

    private Count(List<Integer> after) {
      for (int step : after) {
        switch (states.apply(step)) {
          case PENDING, ACTIVE, WAITING -> open++;
          case SUCCEEDED -> succeeded++;
          case FAILED, CANCELLED -> failed++;
          case SKIPPED -> {}
        }
      }
    }

    private Truth atLeast(int counted, int wanted) {
      if (counted >= wanted) {
        return Truth.TRUE;
      }
      return counted + open < wanted ? Truth.FALSE : Truth.UNKNOWN;
    }
  }
}
