package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.workflow.Rules.Truth;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules over two dependencies, some of which are still open. */
class RulesTest {
  private static final Truth T = Truth.TRUE;
  private static final Truth F = Truth.FALSE;
  private static final Truth U = Truth.UNKNOWN;

  /** The columns are the states of the dependencies: AA, SA, FA, SS, SK, SC, KK. */
  static Stream<Arguments> table() {
    Rule a = new Rule.Ended("a", Rule.Outcome.SUCCEEDED);
    Rule b = new Rule.Ended("b", Rule.Outcome.FAILED);
    Rule k = new Rule.Ended("b", Rule.Outcome.SKIPPED);
    Rule context = Rule.context(Condition.field("x").exists());
    return Stream.of(
        row(Rule.allSucceeded(), U, U, F, T, F, F, F),
        row(Rule.anySucceeded(), U, T, U, T, T, T, F),
        row(Rule.allDone(), U, U, U, T, T, T, T),
        row(Rule.noneFailed(), U, U, F, T, T, F, T),
        row(Rule.anyFailed(), U, U, T, F, F, T, F),
        row(Rule.quorum(1), U, T, U, T, T, T, F),
        row(Rule.quorum(2), U, U, F, T, F, F, F),
        row(Rule.quorum(3), F, F, F, F, F, F, F),
        row(a, U, T, F, T, T, T, F),
        row(b, U, U, U, F, F, T, F),
        row(k, U, U, U, F, T, F, T),
        row(context, U, U, U, U, U, U, U),
        row(Rule.all(a, b), U, U, F, F, F, T, F),
        row(Rule.any(a, b), U, T, U, T, T, T, F),
        row(Rule.none(a, b), U, F, U, F, F, F, T),
        row(Rule.all(a, context), U, U, F, U, U, U, F),
        row(Rule.any(a, context), U, T, U, T, T, T, U));
  }

  private static Arguments row(Rule rule, Truth... expected) {
    return Arguments.of(rule, expected);
  }

  @ParameterizedTest
  @MethodSource("table")
  void whatDependsOnAnOpenStepIsUnknown(Rule rule, Truth[] expected) {
    GraphIndex index =
        new GraphIndex(
            new GraphSketch().task("a").task("b").task("c", "a", "b").when(rule).graph());
    String[] columns = {"AA", "SA", "FA", "SS", "SK", "SC", "KK"};
    for (int i = 0; i < columns.length; i++) {
      String letters = columns[i];
      Rules rules = new Rules(index, step -> StepState.of(letters.charAt(step)));
      assertThat(rules.judge(2, null)).as(letters).isEqualTo(expected[i]);
      assertThat(rules.isDue(2)).isEqualTo(letters.indexOf('A') < 0);
    }
  }

  @Test
  void aStepWithoutDependenciesRunsByDefault() {
    GraphIndex index = new GraphIndex(new GraphSketch().task("a").graph());
    Rules rules = new Rules(index, step -> StepState.PENDING);
    assertThat(rules.judge(0, null)).isEqualTo(T);
    assertThat(rules.isDue(0)).isTrue();
  }
}
