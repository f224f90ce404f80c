package dev.holdfast.api.workflow;

import static dev.holdfast.api.workflow.WorkflowFixture.REFUND;
import static dev.holdfast.api.workflow.WorkflowFixture.add;
import static dev.holdfast.api.workflow.WorkflowFixture.problems;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.workflow.WorkflowFixture.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

class ReachCheckTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Rule CONTEXT = Rule.context(Condition.field("kind").is("page"));

  /** Returns the problems of step 'c' with a rule about its dependencies 'a' and 'b'. */
  private static List<String> problemsOfRule(BiFunction<Step<?>, Step<?>, Rule> rule) {
    return problemsOfRule(OnError.CONTINUE, rule);
  }

  private static List<String> problemsOfRule(
      OnError onError, BiFunction<Step<?>, Step<?>, Rule> rule) {
    return problems(flow -> {
      Step<?> a = add(flow, "a").onError(onError);
      Step<?> b = add(flow, "b").onError(onError);
      add(flow, "c").after(a, b).when(rule.apply(a, b));
    });
  }

  @Test
  void rulesThatCanHoldAreValid() {
    assertThat(problemsOfRule((a, b) -> Rule.allSucceeded())).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.anySucceeded())).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.allDone())).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.noneFailed())).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.anyFailed())).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.quorum(2))).isEmpty();
    assertThat(problemsOfRule((a, b) -> CONTEXT)).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.all(Rule.succeeded(a), Rule.failed(b)))).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.any(Rule.quorum(3), Rule.failed(b)))).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.none(Rule.allSucceeded(), CONTEXT))).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.all(CONTEXT, Rule.none(CONTEXT)))).isEmpty();
    assertThat(problemsOfRule((a, b) -> Rule.all(Rule.anyFailed(), Rule.anySucceeded()))).isEmpty();
  }

  @Test
  void noRuleSeesTheFailureOfAStepThatFailsTheRun() {
    String problem =
        "Step 'c' can never run: its rule cannot hold, because step '%s' fails the run if it"
            + " fails; set onError(CONTINUE).";
    assertThat(problemsOfRule(OnError.FAIL, (a, b) -> Rule.failed(a)))
        .containsExactly(problem.formatted("a"));
    assertThat(problemsOfRule(OnError.FAIL, (a, b) -> Rule.anyFailed()))
        .containsExactly(problem.formatted("b"));
    assertThat(problemsOfRule(OnError.FAIL, (a, b) -> Rule.none(Rule.succeeded(a))))
        .containsExactly(problem.formatted("a"));
    assertThat(problemsOfRule(OnError.FAIL, (a, b) -> Rule.any(Rule.failed(a), CONTEXT))).isEmpty();
    assertThat(problemsOfRule(OnError.FAIL, (a, b) -> Rule.allDone())).isEmpty();
  }

  @Test
  void aRunThatAFailedStepPausesCanContinueWithItsDependents() {
    assertThat(problemsOfRule(OnError.PAUSE, (a, b) -> Rule.failed(a))).isEmpty();
    assertThat(problemsOfRule(OnError.PAUSE, (a, b) -> Rule.anyFailed())).isEmpty();
  }

  @Test
  void aFinallyStepThatFailsDoesNotStopOthers() {
    assertThat(
            problems(flow -> {
              add(flow, "a");
              Step<?> clean = flow.finallyStep("clean", REFUND);
              flow.finallyStep("alarm", REFUND).after(clean).when(Rule.failed(clean));
            }))
        .isEmpty();
  }

  @Test
  void aStepWhoseDependenciesFailTheRunIsNeverSkipped() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a");
              Step<?> b = add(flow, "b").after(a);
              add(flow, "c").after(a, b).when(Rule.all(Rule.skipped(b), Rule.failed(a)));
            }))
        .containsExactly(
            "Step 'c' can never run: its rule cannot hold, because step 'a' fails the run if it"
                + " fails and step 'b' is never skipped; correct the rule or the dependencies.");
  }

  @Test
  void aQuorumNeedsEnoughDependencies() {
    assertThat(problemsOfRule((a, b) -> Rule.all(CONTEXT, Rule.quorum(3))))
        .containsExactly(
            "Step 'c' can never run: its rule needs 3 dependencies to succeed, and it has 2; lower"
                + " the quorum or add dependencies.");
  }

  @Test
  void aRuleAboutDependenciesNeedsSome() {
    for (Rule rule : List.of(Rule.anySucceeded(), Rule.anyFailed(), Rule.quorum(1))) {
      assertThat(problems(flow -> add(flow, "a").when(rule)))
          .containsExactly(
              "Step 'a' can never run: its rule needs dependencies, and it has none; add them with"
                  + " after.");
    }
    for (Rule rule : List.of(Rule.allSucceeded(), Rule.allDone(), Rule.noneFailed())) {
      assertThat(problems(flow -> add(flow, "a").when(rule))).isEmpty();
    }
  }

  @Test
  void aRuleThatContradictsItselfIsReported() {
    List<BiFunction<Step<?>, Step<?>, Rule>> contradictions =
        List.of(
            (a, b) -> Rule.all(Rule.succeeded(a), Rule.failed(a)),
            (a, b) -> Rule.all(CONTEXT, Rule.succeeded(b), Rule.none(Rule.succeeded(b))),
            (a, b) -> Rule.none(Rule.succeeded(a), Rule.failed(a), Rule.skipped(a)),
            (a, b) -> Rule.none(Rule.allDone()),
            (a, b) -> Rule.all(Rule.quorum(2), Rule.failed(a)),
            (a, b) -> Rule.all(Rule.noneFailed(), Rule.anyFailed()),
            (a, b) -> Rule.none(Rule.any(Rule.anyFailed(), Rule.noneFailed())));

    for (BiFunction<Step<?>, Step<?>, Rule> rule : contradictions) {
      assertThat(problemsOfRule(rule))
          .containsExactly(
              "Step 'c' can never run: its rule contradicts itself; correct the rule.");
    }
  }

  @Test
  void aStepThatNeedsTheSuccessOfAnUnreachableStepIsUnreachable() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a").onError(OnError.CONTINUE);
              Step<?> b = add(flow, "b").after(a).when(Rule.quorum(2));
              Step<?> c = add(flow, "c").after(b, a);
              add(flow, "d").after(b, c);
              add(flow, "e").after(b).when(Rule.allDone());
              add(flow, "f").after(b).when(Rule.skipped(b));
              add(flow, "g").after(a, b).when(Rule.anySucceeded());
            }))
        .containsExactly(
            "Step 'b' can never run: its rule needs 2 dependencies to succeed, and it has 1; lower"
                + " the quorum or add dependencies.",
            "Step 'c' can never run: its rule cannot hold, because step 'b' can never run; correct"
                + " the rule or the dependencies.",
            "Step 'd' can never run: its rule cannot hold, because step 'b' can never run and step"
                + " 'c' can never run; correct the rule or the dependencies.");
  }

  @Test
  void aSleepCannotFailUnlessItHasATimeLimit() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a").onError(OnError.CONTINUE);
              Step<?> first = flow.sleep("first", MINUTE);
              Step<?> later = flow.sleep("later", MINUTE).after(a);
              Step<?> limited =
                  flow.sleep("limited", MINUTE).within(MINUTE).onError(OnError.CONTINUE);
              add(flow, "b").after(first).when(Rule.failed(first));
              add(flow, "c").after(later).when(Rule.anyFailed());
              add(flow, "d").after(limited).when(Rule.failed(limited));
              add(flow, "e").after(first, a).when(Rule.all(Rule.anyFailed()));
            }))
        .containsExactly(
            "Step 'b' can never run: its rule cannot hold, because step 'first' can only succeed;"
                + " correct the rule or the dependencies.",
            "Step 'c' can never run: its rule cannot hold, because step 'later' cannot fail;"
                + " correct the rule or the dependencies.");
  }

  @Test
  void aStepThatAlwaysRunsIsNeverSkipped() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a");
              Step<?> b = add(flow, "b").after(a).when(Rule.allDone());
              Step<?> c = add(flow, "c").when(CONTEXT);
              add(flow, "d").after(b).when(Rule.skipped(b));
              add(flow, "e").after(c).when(Rule.skipped(c));
            }))
        .containsExactly(
            "Step 'd' can never run: its rule cannot hold, because step 'b' is never skipped;"
                + " correct the rule or the dependencies.");
  }

  @Test
  void aStepThatSharesItsNameCanEndInAnyWay() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a").when(Rule.anyFailed());
              add(flow, "a");
              add(flow, "b").after(a);
            }))
        .containsExactly(
            "Step name 'a' is used by 2 steps: give each of them another name.",
            "Step 'a' can never run: its rule needs dependencies, and it has none; add them with"
                + " after.");
  }

  @Test
  void finallyStepsAreCheckedToo() {
    assertThat(
            problems(flow -> {
              add(flow, "a");
              flow.finallyStep("clean", REFUND).when(Rule.anyFailed());
            }))
        .containsExactly(
            "Step 'clean' can never run: its rule needs dependencies, and it has none; add them"
                + " with after.");
  }

  @Test
  void amongManyDependenciesOnlySimpleCasesAreReported() {
    assertThat(problems(flow -> addFan(flow, Rule.quorum(100)))).isEmpty();
    assertThat(problems(flow -> addFan(flow, Rule.all(Rule.anyFailed(), Rule.noneFailed()))))
        .isEmpty();
    assertThat(problems(flow -> addFan(flow, Rule.all(CONTEXT, Rule.quorum(101)))))
        .containsExactly(
            "Step 'end' can never run: its rule needs 101 dependencies to succeed, and it has 100;"
                + " lower the quorum or add dependencies.");
    assertThat(problems(flow -> addFan(flow, Rule.none(Rule.any(Rule.allDone(), CONTEXT)))))
        .containsExactly(
            "Step 'end' can never run: its rule contradicts itself; correct the rule.");
  }

  private static void addFan(Flow<Order> flow, Rule rule) {
    List<Step<?>> steps = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      steps.add(add(flow, "s" + i).onError(OnError.CONTINUE));
    }
    add(flow, "end").after(steps.toArray(Step<?>[]::new)).when(rule);
  }

  @Test
  void aRuleThatNamesFewOfManyDependenciesIsCheckedExactly() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a");
              addFan(flow, Rule.allDone());
              add(flow, "b")
                  .after(a)
                  .after(flowNames())
                  .when(Rule.all(Rule.succeeded(a), Rule.skipped(a)));
            }))
        .containsExactly("Step 'b' can never run: its rule contradicts itself; correct the rule.");
  }

  private static String[] flowNames() {
    String[] names = new String[100];
    for (int i = 0; i < names.length; i++) {
      names[i] = "s" + i;
    }
    return names;
  }
}
