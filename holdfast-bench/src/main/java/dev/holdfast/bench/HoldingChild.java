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

/** A node in a process of its own that holds what it gets until it is killed. */
@Command(name = "holding-child", hidden = true)
final class HoldingChild extends ChildCommand {
  /** Room for everything that a bench has it hold. */
  private static final int SLOTS = 200;

  private final Semaphore running = new Semaphore(0);

  @Option(names = "--defaults", description = "Do not beat more often than by default.")
  private boolean defaults;

  @Override
  protected void begin(Address address, PostgresStore store, String schema) {
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

  /** Answer when so many jobs run. */
  @Override
  protected String obey(String order) throws InterruptedException {
    running.acquire(Integer.parseInt(order));
    return order;
  }
}
