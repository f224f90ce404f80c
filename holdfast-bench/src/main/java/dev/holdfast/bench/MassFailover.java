package dev.holdfast.bench;

import dev.holdfast.api.NodeMode;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures the time from the kill of a node with many running jobs until all of them run on a
 * survivor that has a free slot for each.
 */
final class MassFailover {
  private static final int JOBS = 200;

  /** The time that the takeover may take beyond the timeout of the node. */
  static final Duration ALLOWANCE = Duration.ofSeconds(2);

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Bench bench;

  MassFailover(Bench bench) {
    this.bench = bench;
  }

  /** Measures fast failover and, unless the run is quick, the default settings. */
  void measure() throws Exception {
    measure("fast", LivenessSettings.FAST_FAILOVER, "holding-child");
    if (!bench.quick()) {
      measure("default", LivenessSettings.DEFAULT, "holding-child", "--defaults");
    }
  }

  private void measure(String name, LivenessSettings liveness, String... child) throws Exception {
    double seconds = kill(liveness, child);
    bench.say(
        "failover", "takeover of %d jobs, %s settings: %.2f s".formatted(JOBS, name, seconds));
    bench
        .report()
        .add(
            Measure.of("failover.mass." + name, seconds, "s")
                .should(
                    Bar.atMost(liveness.timeouts().running().plus(ALLOWANCE).toMillis() / 1e3)));
  }

  private double kill(LivenessSettings liveness, String... command) throws Exception {
    CountDownLatch running = new CountDownLatch(JOBS);
    CountDownLatch enough = new CountDownLatch(1);
    try (BenchDatabase database = bench.server().fresh();
        HoldfastNode survivor =
            HoldfastNode.on(database.store())
                .mode(NodeMode.TRIGGER_ONLY)
                .liveness(liveness)
                .queue("default", JOBS)
                .meters(new CompositeMeterRegistry())
                .handle(
                    HoldTask.TYPE,
                    (payload, context) -> {
                      running.countDown();
                      enough.await();
                      return null;
                    })
                .start();
        Child child = Child.start(bench.server(), database.schema(), command)) {
      child.await(Child.READY);
      HoldTask.enqueue(database.store(), JOBS);
      child.tell(Integer.toString(JOBS));
      child.await(Child.DONE);
      // Only when the child has claimed all jobs, because the survivor would claim some.
      survivor.mode(NodeMode.FULL);
      long killed = System.nanoTime();
      child.kill();
      boolean all = running.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      double seconds = (System.nanoTime() - killed) / 1e9;
      enough.countDown();
      if (!all) {
        throw new BenchException(
            "%d of %d jobs of the killed node are not running on another node after %s."
                .formatted(running.getCount(), JOBS, PATIENCE));
      }
      return seconds;
    }
  }
}
