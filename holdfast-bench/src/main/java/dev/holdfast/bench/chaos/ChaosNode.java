package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.AttemptLog.Counts;
import dev.holdfast.bench.chaos.NodeLauncher.Liveness;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** The main class of a node process. The process ends when its standard input ends. */
final class ChaosNode {
  static final int CONCURRENCY = 16;
  private static final int PREFETCH = 8;
  private static final Duration COUNT_EVERY = Duration.ofMillis(250);

  private final AttemptLog journal;
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final Instant wallAtStart;
  private final long nanosAtStart = System.nanoTime();
  private long largestShift;

  private ChaosNode(AttemptLog journal, Instant wallAtStart) {
    this.journal = journal;
    this.wallAtStart = wallAtStart;
  }

  /**
   * Runs the node until the end of standard input.
   *
   * @param args the id of the node, its attempt log, the real time at which the process was
   *     started, and the preset for its timeouts
   */
  public static void main(String[] args) throws Exception {
    StoreAccess access = StoreAccess.from(System.getenv());
    // Closed by the end of the process, because other threads may write until then.
    AttemptLog journal = new AttemptLog(Path.of(args[1]));
    new ChaosNode(journal, Instant.parse(args[2])).run(access, args[0], Liveness.valueOf(args[3]));
    System.exit(0);
  }

  private void run(StoreAccess access, String name, Liveness liveness) throws IOException {
    ChaosTask task = new ChaosTask(journal);
    ChaosFlows flows = new ChaosFlows(task);
    try (StoreAccess.Opened opened = access.open();
        HoldfastNode node =
            HoldfastNode.on(opened.store())
                .id(name)
                .meters(meters)
                .liveness(
                    switch (liveness) {
                      case DEFAULT -> LivenessSettings.DEFAULT;
                      case FAST_FAILOVER -> LivenessSettings.FAST_FAILOVER;
                    })
                .queue(ChaosTask.QUEUE, CONCURRENCY, PREFETCH)
                .shutdownGrace(Duration.ofSeconds(5))
                .handle(ChaosTask.TYPE, task::run)
                .handle(ChaosFlows.BOOK, flows::book)
                .handle(ChaosFlows.CLEAN, flows::clean)
                .start()) {
      Thread.ofPlatform().daemon().name("counts").start(this::keepCounting);
      while (System.in.read() >= 0) {
        // Input is ignored; only its end matters.
      }
    }
    count();
  }

  private void keepCounting() {
    while (true) {
      LockSupport.parkNanos(COUNT_EVERY.toNanos());
      count();
    }
  }

  private synchronized void count() {
    long passed = (System.nanoTime() - nanosAtStart) / 1_000_000;
    long shift = Duration.between(wallAtStart, Instant.now()).toMillis() - passed;
    largestShift = Math.max(largestShift, Math.abs(shift));
    journal.counts(
        new Counts(
            sum("holdfast.node.fenced"),
            sum("holdfast.nodes.died"),
            sum("holdfast.jobs.recovered"),
            sum("holdfast.stale.writes.rejected"),
            largestShift));
  }

  private long sum(String meter) {
    return (long) meters.find(meter).counters().stream().mapToDouble(Counter::count).sum();
  }
}
