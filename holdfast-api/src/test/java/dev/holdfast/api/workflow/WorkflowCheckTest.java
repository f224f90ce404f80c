package dev.holdfast.api.workflow;

import static dev.holdfast.api.workflow.WorkflowFixture.CHARGE;
import static dev.holdfast.api.workflow.WorkflowFixture.REFUND;
import static dev.holdfast.api.workflow.WorkflowFixture.SPLIT;
import static dev.holdfast.api.workflow.WorkflowFixture.add;
import static dev.holdfast.api.workflow.WorkflowFixture.problems;
import static dev.holdfast.api.workflow.WorkflowFixture.problemsWithResult;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.WorkflowFixture.Order;
import dev.holdfast.api.workflow.WorkflowFixture.Receipt;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkflowCheckTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void aGraphWithAllKindsOfStepsIsValid() {
    Workflow<Order, Void> child =
        Workflow.define("orders::child", Order.class, flow -> add(flow, "a"));

    assertThat(
            problemsWithResult(flow -> {
              flow.deadline(Duration.ofDays(1)).label("Fulfil an order");
              Step<Receipt> charge = flow.step("charge", CHARGE, flow.input());
              charge.compensate(REFUND).label("Charge").within(MINUTE).onError(OnError.PAUSE);
              Step<List<Order>> split = flow.step("split", SPLIT, flow.input());
              MapStep<Receipt> each = flow.map("each", CHARGE, split);
              each.concurrency(10_000).tolerateFailures(10_000).labelItems("id");
              flow.workflow("child", child, flow.input()).after(charge).compensate(REFUND);
              flow.sleep("sleep", Duration.ZERO).after(charge, each);
              flow.awaitSignal("wait", "approved", Order.class)
                  .orElse(new Order("none"))
                  .within(MINUTE);
              flow.step("part", CHARGE, flow.context("order.first", Order.class)).after("wait");
              Step<Void> clean = flow.finallyStep("clean", REFUND);
              flow.finallyStep("report", REFUND).after(clean).when(Rule.allDone());
              flow.mustSucceed(charge, each);
              return flow.output("charge", TypeRef.of(Receipt.class));
            }))
        .isEmpty();
  }

  @Test
  void severalProblemsAreReportedTogetherInTheOrderOfTheSteps() {
    assertThatThrownBy(() ->
            Workflow.define(
                "Orders",
                Order.class,
                flow -> {
                  add(flow, "ship").after("charg");
                  add(flow, "charge").within(Duration.ZERO);
                  flow.sleep("sleep", Duration.ofSeconds(-1));
                }))
        .isInstanceOf(InvalidWorkflowException.class)
        .hasMessage(
            """
            Workflow 'Orders' is not valid:
              - Workflow name 'Orders' is not valid: use segments of a-z, 0-9, _ and - joined by '::', at most 128 characters, such as orders::fulfil.
              - Step 'ship' is after step 'charg', which does not exist: did you mean 'charge'?
              - Step 'charge': a time limit of 0 s is not valid: give a positive duration.
              - Step 'sleep': a sleep of -1 s is not valid: give zero or a positive duration.\
            """);
  }

  @Test
  void aWorkflowNeedsAValidNameLabelAndDeadline() {
    assertThat(
            problems(
                "a b",
                flow -> {
                  add(flow, "a");
                  flow.label(" ").deadline(Duration.ZERO);
                }))
        .containsExactly(
            "Workflow name 'a b' is not valid: use segments of a-z, 0-9, _ and - joined by '::', at"
                + " most 128 characters, such as orders::fulfil.",
            "Workflow label ' ' is not valid: give 1 to 256 characters, not blank, without NUL and"
                + " without half of a surrogate pair (cut texts between characters, not inside"
                + " one).",
            "A deadline of 0 s is not valid: give a positive duration.");
  }

  @Test
  void aWorkflowNeedsSteps() {
    assertThat(problems(flow -> {}))
        .containsExactly("The workflow has no steps: add at least one.");
  }

  @Test
  void aWorkflowHasAtMostTwoThousandSteps() {
    assertThat(problems(flow -> addChain(flow, 2_000))).isEmpty();
    assertThat(problems(flow -> addChain(flow, 2_001)))
        .containsExactly(
            "The workflow has 2,001 steps: at most 2,000 are possible, so move some of them into a"
                + " child workflow.");
  }

  private static void addChain(Flow<Order> flow, int count) {
    for (int i = 0; i < count; i++) {
      Step<?> step = add(flow, "s" + i);
      if (i > 0) {
        step.after("s" + (i - 1));
      }
    }
  }

  @Test
  void namesAndLabelsOfStepsAreChecked() {
    assertThat(
            problems(flow -> {
              add(flow, "A");
              add(flow, "b").label("");
              flow.awaitSignal("c", "C", Order.class);
            }))
        .containsExactly(
            "Step name 'A' is not valid: use a-z, 0-9, _ and -, at most 64 characters, such as"
                + " charge.",
            "Step 'b': label '' is not valid: give 1 to 256 characters, not blank, without NUL and"
                + " without half of a surrogate pair (cut texts between characters, not inside"
                + " one).",
            "Step 'c': signal name 'C' is not valid: use a-z, 0-9, _ and -, at most 64 characters,"
                + " such as approved.");
  }

  @Test
  void stepsHaveDifferentNames() {
    assertThat(
            problems(flow -> {
              add(flow, "a");
              add(flow, "b");
              add(flow, "a").after("b");
              add(flow, "a");
            }))
        .containsExactly("Step name 'a' is used by 3 steps: give each of them another name.");
  }

  @Test
  void stepsThatDoNotExistAreReportedWithASuggestion() {
    Step<Receipt> other = new Flow<>(TypeRef.of(Order.class)).step("chargd", CHARGE);

    assertThat(
            problemsWithResult(flow -> {
              add(flow, "charge");
              add(flow, "a").after("charg");
              add(flow, "b").after("unknown");
              flow.step("c", REFUND, other);
              add(flow, "d").after("charge").when(Rule.succeeded(other));
              add(flow, "e").after("charg").when(new Rule.Ended("charg", Rule.Outcome.FAILED));
              flow.mustSucceed(other);
              return other;
            }))
        .containsExactly(
            "Step 'a' is after step 'charg', which does not exist: did you mean 'charge'?",
            "Step 'b' is after step 'unknown', which does not exist: add it, or correct the name.",
            "Step 'c' reads the output of step 'chargd', which does not exist: did you mean"
                + " 'charge'?",
            "The rule of step 'd' names step 'chargd', which does not exist: did you mean"
                + " 'charge'?",
            "Step 'e' is after step 'charg', which does not exist: did you mean 'charge'?",
            "mustSucceed names step 'chargd', which does not exist: did you mean 'charge'?",
            "The result is the output of step 'chargd', which does not exist: did you mean"
                + " 'charge'?");
  }

  @Test
  void aRuleNamesDependenciesOnly() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a");
              Step<?> b = add(flow, "b").after(a);
              add(flow, "c").after(b).when(Rule.any(Rule.succeeded(b), Rule.succeeded(a)));
              Step<?> d = add(flow, "d");
              d.when(Rule.none(Rule.failed(d)));
            }))
        .containsExactly(
            "The rule of step 'c' names step 'a', which is not one of its dependencies: add it with"
                + " after.",
            "The rule of step 'd' names the step itself: name one of its dependencies.");
  }

  @Test
  void eachCycleIsReportedOnceWithItsShortestPath() {
    assertThat(
            problems(flow -> {
              add(flow, "start");
              add(flow, "charge").after("start", "ship", "pack");
              add(flow, "pack").after("charge");
              add(flow, "ship").after("pack");
              add(flow, "between").after("ship");
              add(flow, "self").after("self", "between");
              add(flow, "end").after("self");
            }))
        .containsExactly(
            "Step 'charge' waits for itself: charge → pack → charge; remove one of these"
                + " dependencies.",
            "Step 'self' waits for itself: self → self; remove one of these dependencies.");
  }

  @Test
  void aCycleThroughSourcesIsPrintedInTheOrderOfExecution() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a").after("c");
              Step<?> b = flow.step("b", REFUND, a);
              flow.step("c", REFUND, b);
            }))
        .containsExactly(
            "Step 'a' waits for itself: a → b → c → a; remove one of these dependencies.");
  }

  @Test
  void finallyStepsAndOtherStepsDoNotDependOnEachOther() {
    assertThat(
            problems(flow -> {
              Step<?> a = add(flow, "a");
              Step<?> clean = flow.finallyStep("clean", REFUND).after(a);
              add(flow, "b").after(clean);
            }))
        .containsExactly(
            "Finally step 'clean' is after step 'a', which is not a finally step: remove the"
                + " dependency, because finally steps run after all other steps.",
            "Step 'b' is after finally step 'clean', which runs after all other steps: remove the"
                + " dependency.");
  }

  @Test
  void onlyStepsThatDoSomethingHaveCompensations() {
    assertThat(
            problems(flow -> {
              flow.finallyStep("clean", REFUND).compensate(REFUND);
              flow.sleep("sleep", MINUTE).compensate(REFUND);
              flow.awaitSignal("wait", "approved", Order.class).compensate(REFUND);
            }))
        .containsExactly(
            "Finally step 'clean' has a compensation, but it runs after all compensations: remove"
                + " the compensation.",
            "Step 'sleep' has a compensation, but it only waits, so there is nothing to undo:"
                + " remove the compensation.",
            "Step 'wait' has a compensation, but it only waits, so there is nothing to undo: remove"
                + " the compensation.");
  }

  @Test
  void stepsHaveNoDelaysAndNoUniqueKeys() {
    assertThat(
            problems(flow -> {
              add(flow, "a").with(job -> job.runIn(MINUTE));
              add(flow, "b").with(job -> job.runAt(Instant.EPOCH));
              add(flow, "c").with(job -> job.unique(UniqueKey.whileActive("k")));
              add(flow, "d").compensate(REFUND.with(job -> job.runIn(MINUTE)));
              flow.step("e", CHARGE.with(job -> job.runIn(MINUTE)), flow.input())
                  .with(job -> job.runIn(Duration.ZERO));
            }))
        .containsExactly(
            "Step 'a' has a delay, which steps cannot have: remove it (runIn(Duration.ZERO)"
                + " overrides that of a task), and add a sleep step if the run should wait.",
            "Step 'b' has a delay, which steps cannot have: remove it (runIn(Duration.ZERO)"
                + " overrides that of a task), and add a sleep step if the run should wait.",
            "Step 'c' has a unique key, but a run starts each step once: remove the key, or start"
                + " the run with one.",
            "The compensation of step 'd' has a delay, which steps cannot have: remove it"
                + " (runIn(Duration.ZERO) overrides that of a task), and add a sleep step if the"
                + " run should wait.");
  }

  @Test
  void timesAreChecked() {
    assertThat(
            problems(flow -> {
              add(flow, "a").within(Duration.ofSeconds(-2));
              flow.sleep("b", Duration.ofSeconds(-3));
            }))
        .containsExactly(
            "Step 'a': a time limit of -2 s is not valid: give a positive duration.",
            "Step 'b': a sleep of -3 s is not valid: give zero or a positive duration.");
  }

  @Test
  void anyLongDurationCanBeUsed() {
    Duration longest = ChronoUnit.FOREVER.getDuration();
    Workflow<Order, Void> workflow =
        Workflow.define(
            "a", Order.class, flow -> flow.deadline(longest).sleep("a", longest).within(longest));

    Instant now = Instant.EPOCH;
    StepDefinition step = workflow.steps().getFirst();
    assertThat(now.plus(workflow.deadline().orElseThrow())).isAfter(now);
    assertThat(step.timeout()).isNotNull().isEqualTo(workflow.deadline().orElseThrow());
    assertThat(step.work()).isEqualTo(new StepDefinition.Work.Sleep(longest));
    assertThat(((StepDefinition.Work.Sleep) step.work()).time()).isEqualTo(step.timeout());
  }

  @Test
  void theNumbersOfAMapAreChecked() {
    assertThat(
            problems(flow -> {
              Step<List<Order>> split = flow.step("split", SPLIT, flow.input());
              flow.map("a", CHARGE, split).concurrency(-1).tolerateFailures(-2);
              flow.map("b", CHARGE, split).concurrency(10_001).tolerateFailures(10_002);
            }))
        .containsExactly(
            "Step 'a': a concurrency of -1 is not valid: give 0 to 10,000.",
            "Step 'a': a number of tolerated failures of -2 is not valid: give 0 to 10,000.",
            "Step 'b': a concurrency of 10001 is not valid: give 0 to 10,000.",
            "Step 'b': a number of tolerated failures of 10002 is not valid: give 0 to 10,000.");
  }

  @Test
  void pathsOfFieldsAreChecked() {
    assertThat(
            problemsWithResult(flow -> {
              Step<List<Order>> split = flow.step("split", SPLIT, flow.input());
              flow.map("a", CHARGE, split).labelItems("a..b");
              flow.step("b", CHARGE, flow.context(".c", Order.class));
              return flow.context("", Order.class);
            }))
        .containsExactly(
            "Step 'a': field 'a..b' is not valid: give the name of a field of the payload, or a"
                + " path such as address.city, at most 128 characters.",
            "Step 'b': field '.c' is not valid: give the name of a field of the payload, or a path"
                + " such as address.city, at most 128 characters.",
            "The result: field '' is not valid: give the name of a field of the payload, or a path"
                + " such as address.city, at most 128 characters.");
  }

  @Test
  void aDefaultOfASignalNeedsATimeLimit() {
    assertThat(
            problems(
                flow -> flow.awaitSignal("wait", "approved", Order.class).orElse(new Order("x"))))
        .containsExactly(
            "Step 'wait' has a default output, which is used when its time limit passes, but no"
                + " time limit: set one with within.");
  }

  @Test
  void workflowsAreNestedAtMostTenLevelsDeep() {
    Workflow<Order, Void> nested =
        Workflow.define("orders::level", Order.class, flow -> add(flow, "a"));
    for (int level = 2; level <= 10; level++) {
      Workflow<Order, Void> child = nested;
      nested =
          Workflow.define(
              "orders::level", Order.class, flow -> flow.workflow("next", child, flow.input()));
    }
    Workflow<Order, Void> tenth = nested;

    assertThat(problems(flow -> flow.workflow("next", tenth, flow.input())))
        .containsExactly(
            "Step 'next' runs a workflow that makes this one 11 levels deep: at most 10 are"
                + " possible, so combine some of the nested workflows.");
  }

  @Test
  void anOutputThatIsReadByNameHasTheTypeOfItsStep() {
    assertThat(
            problems(flow -> {
              add(flow, "charge");
              flow.map("each", CHARGE, flow.context("orders", new TypeRef<List<Order>>() {}));
              flow.step("a", REFUND, flow.output("charge", TypeRef.of(Order.class)));
              flow.step("b", REFUND, flow.output("each", TypeRef.of(Receipt.class)));
              flow.step("c", REFUND, flow.output("each", new TypeRef<List<Receipt>>() {}));
              flow.step("d", REFUND, flow.output("charge", TypeRef.of(Receipt.class)));
              add(flow, "e").after("f");
            }))
        .containsExactly(
            "Step 'e' is after step 'f', which does not exist: add it, or correct the name.",
            "The output of step 'charge' is read as Order, but it is Receipt: correct the type, or"
                + " pass the step itself.",
            "The output of step 'each' is read as Receipt, but it is List<Receipt>: correct the"
                + " type, or pass the step itself.");
  }

  @Test
  void aRuleAboutTheContextIsValidWithoutDependencies() {
    assertThat(
            problems(
                flow -> add(flow, "a").when(Rule.none(Rule.context(Condition.field("x").is("y"))))))
        .isEmpty();
  }

  @Test
  void theNamesOfWhatStartedTheRunAreReserved() {
    for (String name : List.of("run", "schedule", "trigger", "event")) {
      assertThat(problems(flow -> add(flow, name)))
          .containsExactly(
              "Step name '%s' is reserved for what started the run: choose another one."
                  .formatted(name));
    }
    assertThat(problems(flow -> add(flow, "events"))).isEmpty();
  }
}
