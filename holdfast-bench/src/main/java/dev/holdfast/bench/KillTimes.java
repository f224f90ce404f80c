package dev.holdfast.bench;

import dev.holdfast.api.NodeMode;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Measures the time from the kill of a node until another node starts the first of its jobs. */
final class KillTimes {
  private static final LivenessSettings LIVENESS = LivenessSettings.FAST_FAILOVER;
  private static final int JOBS = 10;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Bench bench;
  private final BlockingQueue<Long> started = new LinkedBlockingQueue<>();

  KillTimes(Bench bench) {
    this.bench = bench;
  }

  void measure(int kills) throws Exception {
    List<Double> seconds = new ArrayList<>();
    try (BenchDatabase database = bench.server().fresh();
        HoldfastNode survivor =
            HoldfastNode.on(database.store())
                .mode(NodeMode.TRIGGER_ONLY)
                .liveness(LIVENESS)
                .meters(new CompositeMeterRegistry())
                .handle(
                    HoldTask.TYPE,
                    (payload, context) -> {
                      started.add(System.nanoTime());
                      return null;
                    })
                .start()) {
      for (int kill = 1; kill <= kills; kill++) {
        seconds.add(kill(database, survivor));
        bench.say(
            "failover",
            "kill %d of %d: %.2f s".formatted(kill, kills, seconds.get(seconds.size() - 1)));
      }
    }
    Duration bar = LIVENESS.timeouts().running().plus(MassFailover.ALLOWANCE);
    bench.report().add(Measure.of("failover.median", Quantiles.median(seconds), "s"));
    bench
        .report()
        .add(
            Measure.of("failover.p95", Quantiles.of(seconds, 0.95), "s")
                .should(Bar.atMost(bar.toMillis() / 1e3)));
  }

  private double kill(BenchDatabase database, HoldfastNode survivor) throws Exception {
    try (Child child = Child.start(bench.server(), database.schema(), "holding-child")) {
      child.await(Child.READY);
      HoldTask.enqueue(database.store(), JOBS);
      child.tell(Integer.toString(JOBS));
      child.await(Child.DONE);
      // Only when the child has claimed all jobs, because the survivor would claim some.
      survivor.mode(NodeMode.FULL);
      long killed = System.nanoTime();
      child.kill();
      long first = next();
      for (int other = 1; other < JOBS; other++) {
        next();
      }
      survivor.mode(NodeMode.TRIGGER_ONLY);
      return (first - killed) / 1e9;
    }
  }

  private long next() throws InterruptedException {
    Long at = started.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (at == null) {
      throw new BenchException(
          "No other node has started a job of the killed node within %s.".formatted(PATIENCE));
    }
    return at;
  }
}
