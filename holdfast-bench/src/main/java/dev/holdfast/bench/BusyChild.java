package dev.holdfast.bench;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.bench.harness.ChildCommand;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.postgres.PostgresStore;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import picocli.CommandLine.Command;

/** A node in a child process with more CPU-bound work than there are cores. */
@Command(name = "busy-child", hidden = true)
final class BusyChild extends ChildCommand {
  static final String FAST = "FAST";
  static final String DEFAULT = "DEFAULT";
  static final TaskType<HoldTask.Nothing, Void> TASK =
      TaskType.of("bench::spin", HoldTask.Nothing.class);

  private static final Duration SPIN = Duration.ofMillis(5);
  private static final int CORES = Runtime.getRuntime().availableProcessors();

  @SuppressWarnings("NullAway.Init")
  private PostgresStore store;

  @Override
  protected void start(Address address, PostgresStore opened, String schema) {
    this.store = opened;
  }

  /** Starts a node with the given liveness settings, and threads that keep all cores busy. */
  @Override
  protected String obey(String order) {
    HoldfastNode.on(store)
        .queue(NoopJobs.QUEUE, 4 * CORES)
        .liveness(order.equals(FAST) ? LivenessSettings.FAST_FAILOVER : LivenessSettings.DEFAULT)
        .meters(new CompositeMeterRegistry())
        .handle(
            TASK,
            (payload, context) -> {
              spin(SPIN);
              return null;
            })
        .start();
    for (int burner = 0; burner < CORES; burner++) {
      Thread.ofPlatform()
          .daemon()
          .name("burner-" + burner)
          .start(() -> {
            while (true) {
              spin(SPIN);
            }
          });
    }
    return Integer.toString(CORES);
  }

  private static void spin(Duration length) {
    long end = System.nanoTime() + length.toNanos();
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }
}
