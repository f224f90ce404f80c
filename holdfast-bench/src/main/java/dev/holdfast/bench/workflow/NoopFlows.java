package dev.holdfast.bench.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Workflows of no-op steps, and the node that runs them beside plain no-op jobs. */
final class NoopFlows {
  static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK_EVERY = Duration.ofMillis(2);

  private static final TaskType<NoopJobs.Payload, Void> STEP =
      TaskType.of("bench::step", NoopJobs.Payload.class);

  /** The same chain as a task with durable steps. */
  static final TaskType<NoopJobs.Payload, Void> DURABLE =
      TaskType.of("bench::durable", NoopJobs.Payload.class);

  private static final TaskType<Integer, Integer> ELEMENT =
      TaskType.of("bench::element", Integer.class, Integer.class);

  private static final List<String> DURABLE_STEPS = names(DbosComparison.STEPS);

  private NoopFlows() {}

  /** Returns a workflow whose steps run one after the other, each with the input of the run. */
  static Workflow<NoopJobs.Payload, Void> chain(int steps) {
    return chain("bench::chain-" + steps, steps, STEP);
  }

  static Workflow<NoopJobs.Payload, Void> chain(
      String name, int steps, TaskType<NoopJobs.Payload, Void> task) {
    return Workflow.define(
        name,
        NoopJobs.Payload.class,
        flow -> {
          Step<Void> before = null;
          for (int i = 1; i <= steps; i++) {
            Step<Void> step = flow.step("step-" + i, task, flow.input());
            before = before == null ? step : step.after(before);
          }
        });
  }

  /** Returns a workflow that maps a list of numbers. */
  static Workflow<List<Integer>, Void> map() {
    TypeRef<List<Integer>> list = new TypeRef<>() {};
    return Workflow.define("bench::map", list, flow -> flow.map("elements", ELEMENT, flow.input()));
  }

  /** Returns the names of durable steps. */
  private static List<String> names(int steps) {
    return IntStream.rangeClosed(1, steps).mapToObj(i -> "step-" + i).toList();
  }

  /** Returns a node that is not started yet, with default settings. */
  static NodeBuilder node(Store store, AtomicInteger ran) {
    return HoldfastNode.on(store)
        // Equivalent to the default without metrics, which only one node of a process can use.
        .meters(new CompositeMeterRegistry())
        .handle(
            NoopJobs.TASK,
            (payload, context) -> {
              ran.incrementAndGet();
              return null;
            })
        .handle(
            STEP,
            (payload, context) -> {
              ran.incrementAndGet();
              return null;
            })
        .handle(
            DURABLE,
            (payload, context) -> {
              for (String name : DURABLE_STEPS) {
                context
                    .steps()
                    .run(
                        name,
                        () -> {
                          ran.incrementAndGet();
                        });
              }
            })
        .handle(
            ELEMENT,
            (number, context) -> {
              ran.incrementAndGet();
              return number;
            });
  }

  /** Starts runs one after the other. */
  static void start(Holdfast client, Workflow<NoopJobs.Payload, Void> workflow, int runs) {
    for (int i = 0; i < runs; i++) {
      client.runs().start(workflow, NoopJobs.Payload.OF_50_BYTES);
    }
  }

  /** Waits until a node has run all steps, and all runs have ended durably. */
  static void awaitEnd(
      BenchServer server, String schema, HoldfastNode node, AtomicInteger ran, int steps)
      throws SQLException {
    NoopJobs.await(node, ran, steps);
    long since = System.nanoTime();
    try (Connection connection = server.connect();
        PreparedStatement open =
            connection.prepareStatement("select exists (select from %s.run)".formatted(schema))) {
      while (isTrue(open)) {
        if (System.nanoTime() - since > PATIENCE.toNanos()) {
          throw new BenchException(
              "All %d steps ran, but some runs have not ended after %d seconds."
                  .formatted(steps, PATIENCE.toSeconds()));
        }
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
    }
  }

  private static boolean isTrue(PreparedStatement query) throws SQLException {
    try (ResultSet row = query.executeQuery()) {
      return row.next() && row.getBoolean(1);
    }
  }
}
