package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.examples.HumanApproval.Decision;
import dev.holdfast.examples.HumanApproval.Expense;
import dev.holdfast.examples.OrderFulfilment.Order;
import dev.holdfast.examples.OrderFulfilment.Receipt;
import dev.holdfast.testkit.workflow.StuckRunError;
import dev.holdfast.testkit.workflow.TestedRun;
import dev.holdfast.testkit.workflow.WorkflowTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests workflows in virtual time, with tasks that are replaced, crashes, and no database. */
class TestingWorkflowsTest {
  private static WorkflowTester shop() {
    return WorkflowTester.create()
        .returns(OrderFulfilment.RESERVE, null)
        .returns(OrderFulfilment.CHARGE, new Receipt("R-1"))
        .handle(OrderFulfilment.SHIP, (order, context) -> OrderFulfilment.ship(order))
        .returns(OrderFulfilment.RELEASE, null)
        .returns(OrderFulfilment.REFUND, null);
  }

  @Test
  void anOrderIsShippedAlthoughTheCourierFailsTwiceAndANodeDies() {
    TestedRun<String> run =
        shop()
            .crashAfter("charge")
            .failTimes(OrderFulfilment.SHIP, 2)
            .run(OrderFulfilment.FULFIL, new Order("book", 1_200));

    assertThat(run.result()).isEqualTo("The book is on its way");
    assertThat(run.executed())
        .containsExactly("reserve", "charge", "charge", "ship", "ship", "ship");
  }

  @Test
  void anOrderThatCannotBeShippedIsUndone() {
    TestedRun<String> run = shop().run(OrderFulfilment.FULFIL, new Order("piano", 90_000));

    assertThat(run.state()).isEqualTo(RunState.FAILED);
    assertThat(run.executed())
        .containsExactly("reserve", "charge", "ship", "undo:charge", "undo:reserve");
  }

  @Test
  void anExpenseWaitsForADecision() {
    TestedRun<Void> run =
        WorkflowTester.create()
            .returns(HumanApproval.ASK, null)
            .returns(HumanApproval.PAY, null)
            .start(HumanApproval.REIMBURSE, new Expense("a taxi", 2_300))
            .runUntil("decision", StepState.WAITING);

    run.signal("decided", new Decision(true, "Ada")).runToEnd().orThrow();

    assertThat(run.executed()).containsExactly("ask", "pay");
  }

  @Test
  void anExpenseThatNobodyDecidesIsRejected() {
    TestedRun<Void> run =
        WorkflowTester.create()
            .returns(HumanApproval.ASK, null)
            .returns(HumanApproval.REJECT, null)
            .run(HumanApproval.REIMBURSE, new Expense("a yacht", 900_000_000));

    assertThat(run.input("reject", Decision.class)).isEqualTo(new Decision(false, "nobody"));
    assertThat(run.elapsed()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void aTestThatForgotSomethingFailsAndSaysWhat() {
    assertThatThrownBy(() ->
            WorkflowTester.create().run(HumanApproval.REIMBURSE, new Expense("a taxi", 2_300)))
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("step 'ask' waits for a handler of task 'expenses::ask'");
  }
}
