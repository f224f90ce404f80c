package dev.holdfast.bench.chaos;

import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.MapStep;
import dev.holdfast.api.workflow.SignalStep;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.chaos.ChaosTask.Work;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The workflows of the chaos run. Without bugs, all of their runs succeed. */
final class ChaosFlows {
  /** How many elements the map of a chain has. */
  static final int ITEMS = 4;

  /** The signal that a chain awaits. */
  static final String GO = "go";

  /** The table that transactional steps insert into: one row for each that was committed. */
  static final String BOOKINGS = "chaos_booking";

  static final TaskType<Work, Void> BOOK =
      TaskType.of("chaos::book", Work.class).with(ChaosTask::options);

  /** The task of finally steps, which get the whole context. */
  static final TaskType<Order, Void> CLEAN =
      TaskType.of("chaos::clean", Order.class).with(ChaosTask::options);

  /**
   * The input of a run.
   *
   * @param work what each step does
   * @param items what the jobs of the map do
   */
  record Order(Work work, List<Work> items) {}

  /** Each step follows the one before: a task, a map, a durable step, a signal, a task. */
  static final Workflow<Order, Void> CHAIN =
      Workflow.define(
          "chaos::chain",
          Order.class,
          flow -> {
            Step<Void> first = flow.step("first", ChaosTask.TYPE, flow.context("work", Work.class));
            MapStep<Void> items =
                flow.map(
                    "items", ChaosTask.TYPE, flow.context("items", new TypeRef<List<Work>>() {}));
            items.after(first);
            Step<Void> book =
                flow.step("book", BOOK, flow.context("work", Work.class)).after(items);
            SignalStep<String> signal = flow.awaitSignal("signal", GO, String.class);
            signal.after(book);
            flow.step("last", ChaosTask.TYPE, flow.context("work", Work.class)).after(signal);
          });

  /** Two steps between a first and a last one, and a finally step. */
  static final Workflow<Order, Void> DIAMOND =
      Workflow.define(
          "chaos::diamond",
          Order.class,
          flow -> {
            Step<Void> top = flow.step("top", BOOK, flow.context("work", Work.class));
            Step<Void> left =
                flow.step("left", ChaosTask.TYPE, flow.context("work", Work.class)).after(top);
            Step<Void> nap = flow.sleep("nap", Duration.ofMillis(300));
            nap.after(top);
            Step<Void> right =
                flow.step("right", ChaosTask.TYPE, flow.context("work", Work.class)).after(nap);
            flow.step("bottom", ChaosTask.TYPE, flow.context("work", Work.class))
                .after(left, right);
            flow.finallyStep("clean", CLEAN);
          });

  /** A diamond as a child run, between two steps. */
  static final Workflow<Order, Void> PARENT =
      Workflow.define(
          "chaos::parent",
          Order.class,
          flow -> {
            Step<Void> before =
                flow.step("before", ChaosTask.TYPE, flow.context("work", Work.class));
            Step<?> child = flow.workflow("child", DIAMOND, flow.input()).after(before);
            flow.step("behind", ChaosTask.TYPE, flow.context("work", Work.class)).after(child);
          });

  static final List<Workflow<Order, Void>> ALL = List.of(CHAIN, DIAMOND, PARENT);

  private final ChaosTask task;

  ChaosFlows(ChaosTask task) {
    this.task = task;
  }

  static Order someOrder(RandomGenerator random) {
    Work work = new Work(random.nextInt(1, 4), random.nextInt(60), random.nextInt(10) == 0);
    Work item = new Work(2, random.nextInt(60), random.nextInt(10) == 0);
    return new Order(work, List.of(item, item, work, item));
  }

  /** Handles a step whose first part is a transaction of the database that contains the jobs. */
  @Nullable Void book(Work work, TaskContext context) throws Exception {
    context.steps().transaction("book", Integer.class, connection -> insert(connection, context));
    return task.run(work, context);
  }

  /** Handles a finally step. */
  @Nullable Void clean(Order order, TaskContext context) throws InterruptedException {
    return task.run(order.work, context);
  }

  private static int insert(Connection connection, TaskContext context) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into public.%s (job, token) values (?, ?)".formatted(BOOKINGS))) {
      insert.setObject(1, context.jobId().value());
      insert.setLong(2, context.fencingToken());
      return insert.executeUpdate();
    }
  }
}
