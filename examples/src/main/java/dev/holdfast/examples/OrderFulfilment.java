package dev.holdfast.examples;

import dev.holdfast.api.RunFailedException;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;

/** Fulfils an order in steps. If one of them fails, those that succeeded before are undone. */
public final class OrderFulfilment {
  record Order(String item, long cents) {}

  record Receipt(String number) {}

  record Charged(Order input, Receipt output) {} // What a compensation gets.

  static final TaskType<Order, Void> RESERVE = TaskType.of("stock::reserve", Order.class);
  static final TaskType<Object, Void> RELEASE = TaskType.of("stock::release", Object.class);
  static final TaskType<Order, Receipt> CHARGE =
      TaskType.of("billing::charge", Order.class, Receipt.class);
  static final TaskType<Charged, Void> REFUND = TaskType.of("billing::refund", Charged.class);
  static final TaskType<Order, String> SHIP =
      TaskType.of("parcels::ship", Order.class, String.class)
          .with(job -> job.retry(RetryPolicy.DEFAULT.neverOn("TOO_HEAVY")));

  static final Workflow<Order, String> FULFIL =
      Workflow.defineWithResult(
          "shop::fulfil",
          Order.class,
          flow -> {
            var order = flow.input();
            var reserve = flow.step("reserve", RESERVE, order).compensate(RELEASE);
            var charge = flow.step("charge", CHARGE, order).after(reserve).compensate(REFUND);
            return flow.step("ship", SHIP, order).after(charge);
          });

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(RESERVE, (it, context) -> System.out.println("Reserving " + it.item()))
                .handle(RELEASE, (it, context) -> System.out.println("Releasing it"))
                .handle(CHARGE, (order, context) -> new Receipt("R-" + order.cents()))
                .handle(REFUND, (it, context) -> System.out.println("Refunding " + it.output()))
                .handle(SHIP, (order, context) -> ship(order))
                .start()) {
      for (Order order : new Order[] {new Order("book", 1_200), new Order("piano", 90_000)}) {
        try {
          var run = node.client().runs().start(FULFIL, order);
          System.out.println(node.client().runs().await(run, Duration.ofSeconds(30)));
        } catch (RunFailedException failed) {
          System.out.println(order.item() + ": " + failed.run().state());
        }
      }
    }
  }

  static String ship(Order order) {
    if (order.item().equals("piano")) {
      throw new TaskFailure("TOO_HEAVY", "no courier takes it");
    }
    return "The %s is on its way".formatted(order.item());
  }
}
