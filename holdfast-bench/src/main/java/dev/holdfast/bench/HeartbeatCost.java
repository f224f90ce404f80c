package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures how many rows a heartbeat writes, by PostgreSQL's statistics of all tables. */
final class HeartbeatCost {
  // An idle session reports its statistics after ten seconds at the latest.
  private static final Duration BEFORE_COUNTING = Duration.ofSeconds(12);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private final Bench bench;

  HeartbeatCost(Bench bench) {
    this.bench = bench;
  }

  void measure(int held) throws Exception {
    Duration length = Duration.ofSeconds(bench.quick() ? 3 : 30);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    try (BenchDatabase database = bench.server().fresh();
        HoldfastNode node =
            HoldfastNode.on(database.store())
                .maxConcurrent(held)
                .queue(NoopJobs.QUEUE, held)
                .liveness(LivenessSettings.FAST_FAILOVER)
                .meters(new CompositeMeterRegistry())
                .handle(
                    HoldTask.TYPE,
                    (payload, context) -> {
                      running.incrementAndGet();
                      end.await();
                      return null;
                    })
                .start()) {
      try {
        bench.say("failover", "heartbeats of a node with %d running jobs".formatted(held));
        HoldTask.enqueue(database.store(), held);
        while (running.get() < held) {
          Thread.sleep(LOOK_EVERY);
        }
        Thread.sleep(BEFORE_COUNTING);
        long beats = beats(database);
        long rows = rows(database);
        Thread.sleep(length);
        double perBeat = (rows(database) - rows) / (double) (beats(database) - beats);
        bench
            .report()
            // One row, plus or minus what sessions have not reported yet.
            .add(
                Measure.of("failover.beat_rows_%d".formatted(held), perBeat, "rows")
                    .should(Bar.atMost(1.2)));
      } finally {
        end.countDown();
      }
      NoopJobs.await(node, running, held);
    }
  }

  private long beats(BenchDatabase database) throws SQLException {
    return bench.server().number("select sum(beat) from %s.node".formatted(database.schema()));
  }

  private long rows(BenchDatabase database) throws SQLException {
    return bench
        .server()
        .number(
            """
            select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables
            where schemaname = '%s'
            """
                .formatted(database.schema()));
  }
}
