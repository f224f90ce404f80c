package dev.holdfast.examples;

import static dev.holdfast.api.trigger.Condition.field;

import dev.holdfast.api.Runs;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;

/**
 * Pays an expense when a person has approved it, and rejects it if there is no decision in time.
 */
public final class HumanApproval {
  record Expense(String what, long cents) {}

  record Decision(boolean approved, String by) {}

  static final TaskType<Expense, Void> ASK = TaskType.of("expenses::ask", Expense.class);
  static final TaskType<Expense, Void> PAY = TaskType.of("expenses::pay", Expense.class);
  static final TaskType<Decision, Void> REJECT = TaskType.of("expenses::reject", Decision.class);

  static final Workflow<Expense, Void> REIMBURSE =
      Workflow.define(
          "expenses::reimburse",
          Expense.class,
          flow -> {
            var ask = flow.step("ask", ASK, flow.input());
            var decision =
                flow.awaitSignal("decision", "decided", Decision.class)
                    .orElse(new Decision(false, "nobody"))
                    .after(ask)
                    .within(Duration.ofSeconds(2)); // Days, for a real approval.
            var approved = Rule.context(field("approved").is(true));
            flow.step("pay", PAY, flow.input()).after(decision).when(approved);
            flow.step("reject", REJECT, decision).when(Rule.none(approved));
          });

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(ASK, (expense, context) -> print("Who approves " + expense.what() + "?"))
                .handle(PAY, (expense, context) -> print("Paying " + expense.cents() + " cents"))
                .handle(REJECT, (decision, context) -> print("Rejected by " + decision.by()))
                .start()) {
      Runs runs = node.client().runs();

      var taxi = runs.start(REIMBURSE, new Expense("a taxi", 2_300));
      runs.signal(taxi.id(), "decided", new Decision(true, "Ada"));
      runs.await(taxi, Duration.ofSeconds(30));

      var yacht = runs.start(REIMBURSE, new Expense("a yacht", 900_000_000));
      runs.await(yacht, Duration.ofSeconds(30));
    }
  }

  private static void print(String line) {
    System.out.println(line);
  }
}
