package dev.holdfast.api.run;

import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;

/**
 * The tasks and workflows of a jar or of a part of an application, in a form that programs find
 * without knowing your classes: {@code holdfast check}, {@code holdfast graph}, and nodes that
 * install it.
 *
 * <pre>{@code
 * public class OrderModule implements TaskModule {
 *   static final TaskType<Order, Receipt> PAY =
 *       TaskType.of("orders::pay", Order.class, Receipt.class);
 *   static final Workflow<Order, Void> FULFIL =
 *       Workflow.define("orders::fulfil", Order.class, flow -> flow.step("pay", PAY, flow.input()));
 *
 *   public void configure(Binder binder) {
 *     binder.handle(PAY, (order, context) -> new Receipt(order.number()));
 *     binder.workflow(FULFIL);
 *   }
 * }
 * }</pre>
 *
 * <p>A module is found with {@link java.util.ServiceLoader}: the class is public, has a public
 * constructor without parameters, and is named in the file {@code
 * META-INF/services/dev.holdfast.api.run.TaskModule} of its jar. A node installs a module with
 * {@code NodeBuilder.install}.
 */
public interface TaskModule {

  /**
   * Adds the handlers and workflows of this module. May be called several times, also by programs
   * that only read what it adds and never run a job, so it should connect to nothing.
   */
  void configure(Binder binder);

  /** Receives the handlers and workflows of a module. */
  interface Binder {

    /** Adds the handler of a task. */
    <P, R> Binder handle(TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler);

    /** Adds the handler of a task without a result. */
    <P> Binder handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler);

    /**
     * Adds the handler of a task, with what decides about a job whose node died while it ran the
     * job.
     */
    <P, R> Binder handle(
        TaskType<P, R> type,
        TaskHandler<? super P, ? extends R> handler,
        RecoveryPolicy<P> recovery);

    /**
     * Adds the handler of a task without a result, with what decides about a job whose node died
     * while it ran the job.
     */
    <P> Binder handle(
        TaskType<P, Void> type, VoidTaskHandler<? super P> handler, RecoveryPolicy<P> recovery);

    /** Adds a workflow. The handlers of its tasks may be in other modules. */
    <I, R> Binder workflow(Workflow<I, R> workflow);
  }
}
