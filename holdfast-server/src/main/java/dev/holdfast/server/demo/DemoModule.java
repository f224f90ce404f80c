package dev.holdfast.server.demo;

import dev.holdfast.api.job.JobProgress;
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
  private static final int PARTS = 10;

  /** An order of the demo. */
  public record Order(int number, String customer) {}

  static final TaskType<Order, String> PAY = TaskType.of("demo::pay", Order.class, String.class);
  static final TaskType<Object, Void> SHIP = TaskType.of("demo::ship", Object.class);
  static final TaskType<Order, Void> REPORT = TaskType.of("demo::report", Order.class);
  static final TaskType<Order, Order> PACK = TaskType.of("demo::pack", Order.class, Order.class);
  static final TaskType<Order, Order> WRITE = TaskType.of("demo::write", Order.class, Order.class);

  /** Fails for every fourth issue. */
  static final TaskType<Order, Void> SEND =
      TaskType.of("demo::send", Order.class).with(job -> job.retry(RetryPolicy.NEVER));

  /** Fails for every third order, for one of them permanently. */
  static final TaskType<Order, Void> DELIVER =
      TaskType.of("demo::deliver", Order.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofSeconds(2)).maxAttempts(2)));

  /** An order is paid and packed, waits until it is approved, and is shipped. */
  static final Workflow<Order, Void> FULFIL =
      Workflow.define(
          "demo::fulfil",
          Order.class,
          flow -> {
            Step<String> paid = flow.step("pay", PAY, flow.input());
            Step<Order> packed = flow.step("pack", PACK, flow.input()).after(paid);
            Step<Object> approved = flow.awaitSignal("approval", "approved", Object.class);
            flow.step("ship", SHIP, approved).after(packed);
          });

  /** An issue of the newsletter is written and sent. */
  static final Workflow<Order, Void> NEWSLETTER =
      Workflow.define(
          "demo::newsletter",
          Order.class,
          flow -> flow.step("send", SEND, flow.step("write", WRITE, flow.input())));

  @Override
  public void configure(Binder binder) {
    binder
        .handle(PAY, (order, context) -> "receipt " + order.number())
        .handle(SHIP, (order, context) -> {})
        .handle(REPORT, DemoModule::report)
        .handle(DELIVER, DemoModule::deliver)
        .handle(PACK, (order, context) -> inParts(order, Duration.ofSeconds(5), context))
        .handle(WRITE, (order, context) -> inParts(order, Duration.ofSeconds(1), context))
        .handle(SEND, DemoModule::send)
        .workflow(FULFIL)
        .workflow(NEWSLETTER);
  }

  private static @Nullable Void report(Order order, TaskContext context)
      throws InterruptedException {
    Thread.sleep(Duration.ofSeconds(1));
    return null;
  }

  private static @Nullable Void deliver(Order order, TaskContext context) {
    if (order.number() % 3 == 0) {
      throw expected("NOBODY_HOME", "%s is not at home.".formatted(order.customer()));
    }
    return null;
  }

  private static @Nullable Void send(Order issue, TaskContext context) {
    if (issue.number() % 4 == 0) {
      throw expected("MAILBOX_FULL", "The mailbox of %s is full.".formatted(issue.customer()));
    }
    return null;
  }

  /** Takes its time, and continues where an attempt has stopped whose server was killed. */
  private static Order inParts(Order order, Duration takes, TaskContext context)
      throws InterruptedException {
    long done = context.progress().map(JobProgress::done).orElse(0L);
    for (long part = done + 1; part <= PARTS; part++) {
      Thread.sleep(takes.dividedBy(PARTS));
      context.progress(part, PARTS, "part %d of %d".formatted(part, PARTS));
    }
    return order;
  }

  private static TaskFailure expected(String code, String message) {
    TaskFailure failure = new TaskFailure(code, message);
    // Its stack trace would only fill the log.
    failure.setStackTrace(new StackTraceElement[0]);
    return failure;
  }
}
