package dev.holdfast.server.demo;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The tasks and workflows of the demo. */
public final class DemoModule implements TaskModule {
  /** An order of the demo. */
  public record Order(int number, String customer) {}

  static final TaskType<Order, String> PAY = TaskType.of("demo::pay", Order.class, String.class);
  static final TaskType<Object, Void> SHIP = TaskType.of("demo::ship", Object.class);
  static final TaskType<Order, Void> REPORT = TaskType.of("demo::report", Order.class);

  /** Fails for every third order, for one of them permanently. */
  static final TaskType<Order, Void> DELIVER =
      TaskType.of("demo::deliver", Order.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofSeconds(2)).maxAttempts(2)));

  /** An order is paid, waits until it is approved, and is shipped. */
  static final Workflow<Order, Void> FULFIL =
      Workflow.define(
          "demo::fulfil",
          Order.class,
          flow -> {
            Step<String> paid = flow.step("pay", PAY, flow.input());
            Step<Object> approved = flow.awaitSignal("approval", "approved", Object.class);
            flow.step("ship", SHIP, approved).after(paid);
          });

  @Override
  public void configure(Binder binder) {
    binder
        .handle(PAY, (order, context) -> "receipt " + order.number())
        .handle(SHIP, (order, context) -> {})
        .handle(REPORT, DemoModule::report)
        .handle(DELIVER, DemoModule::deliver)
        .workflow(FULFIL);
  }

  private static @Nullable Void report(Order order, TaskContext context)
      throws InterruptedException {
    Thread.sleep(Duration.ofSeconds(1));
    return null;
  }

  private static @Nullable Void deliver(Order order, TaskContext context) {
    if (order.number() % 3 == 0) {
      TaskFailure failure =
          new TaskFailure("NOBODY_HOME", "%s is not at home.".formatted(order.customer()));
      // It is expected: its stack trace would only fill the log.
      failure.setStackTrace(new StackTraceElement[0]);
      throw failure;
    }
    return null;
  }
}
