package dev.holdfast.bench;

import dev.holdfast.bench.harness.ChildCommand;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.postgres.PostgresStore;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A node in a child process whose jobs run until the process is killed. */
@Command(name = "holding-child", hidden = true)
final class HoldingChild extends ChildCommand {
  /** Enough slots for the jobs of every benchmark. */
  private static final int SLOTS = 200;

  private final Semaphore running = new Semaphore(0);

  @Option(
      names = "--defaults",
      description = "Use the default liveness settings instead of fast failover.")
  private boolean defaults;

  @Override
  protected void start(Address address, PostgresStore store, String schema) {
    HoldfastNode.on(store)
        .liveness(defaults ? LivenessSettings.DEFAULT : LivenessSettings.FAST_FAILOVER)
        .queue("default", SLOTS)
        .meters(new CompositeMeterRegistry())
        .handle(
            HoldTask.TYPE,
            (payload, context) -> {
              running.release();
              new CountDownLatch(1).await();
              return null;
            })
        .start();
  }

  /** Replies when the given number of jobs is running. */
  @Override
  protected String obey(String order) throws InterruptedException {
    running.acquire(Integer.parseInt(order));
    return order;
  }
}
