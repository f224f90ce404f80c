package dev.holdfast.bench;

import dev.holdfast.api.NodeMode;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Measures the duration of the sweep that finds a dead node with many running jobs. */
final class SweepTime {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK_EVERY = Duration.ofMillis(50);

  private final Bench bench;

  SweepTime(Bench bench) {
    this.bench = bench;
  }

  void measure(int jobs) throws Exception {
    List<Double> seconds = new ArrayList<>();
    try (BenchDatabase database = bench.server().fresh()) {
      for (int round = 1; round <= bench.roundCount(); round++) {
        seconds.add(sweep(database, jobs).toNanos() / 1e9);
        bench.say("failover", "sweep of %d jobs: %.2f s".formatted(jobs, seconds.getLast()));
      }
    }
    bench
        .report()
        .add(Measure.of("failover.sweep", Collections.max(seconds), "s").should(Bar.atMost(2)));
  }

  private Duration sweep(BenchDatabase database, int jobs) throws Exception {
    database.clear();
    NoopJobs.enqueue(database.store(), jobs);
    leaveAllTo(deadNode(database), database);
    SweepWatch watch = new SweepWatch(database.store());
    String ready = "select count(*) from %s.job where state = 'READY'".formatted(database.schema());
    try (HoldfastNode node =
        HoldfastNode.on(watch.watched())
            // The node recovers jobs and runs none.
            .mode(NodeMode.TRIGGER_ONLY)
            .liveness(LivenessSettings.FAST_FAILOVER)
            .meters(new CompositeMeterRegistry())
            .handle(NoopJobs.TASK, (payload, context) -> null)
            .start()) {
      long started = System.nanoTime();
      while (bench.server().number(ready) < jobs) {
        if (System.nanoTime() - started > PATIENCE.toNanos()) {
          throw new BenchException(
              "Node %s has not recovered %d jobs within %s.".formatted(node.id(), jobs, PATIENCE));
        }
        Thread.sleep(LOOK_EVERY);
      }
    }
    return watch.sweep();
  }

  /** Registers a node that never sends a heartbeat. */
  private static UUID deadNode(BenchDatabase database) {
    UUID incarnation = UUID.randomUUID();
    database
        .store()
        .nodes()
        .register(
            new NodeRegistration(
                incarnation,
                "dead",
                null,
                "nowhere",
                0,
                "none",
                LivenessSettings.FAST_FAILOVER.timeouts(),
                Set.of(NoopJobs.QUEUE),
                Set.of(NoopJobs.TASK.name()),
                1,
                null,
                Set.of(),
                Set.of(),
                Advice.NONE));
    return incarnation;
  }

  private void leaveAllTo(UUID incarnation, BenchDatabase database) throws SQLException {
    try (Connection connection = bench.server().connect();
        PreparedStatement claim =
            connection.prepareStatement(
                """
                update %s.job
                set state = 'RUNNING', incarnation = ?, token = 1, claim_no = 1, attempt = 1,
                  started_at = now()
                """
                    .formatted(database.schema()))) {
      claim.setObject(1, incarnation);
      claim.executeUpdate();
    }
  }
}
