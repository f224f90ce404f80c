package dev.holdfast.bench;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.node.HoldfastNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import picocli.CommandLine.Command;

/** Measures how soon an idle node starts a job that another process enqueues. */
@Command(
    name = "latency",
    description = {
      "Measure how soon an idle node starts a job that another process enqueues.",
      "Measures from just before the enqueue to the start of the job, and compares with a bare"
          + " insert and NOTIFY received in another process."
    })
public final class LatencyBench extends BenchCommand {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The payload: when the producer enqueued it. */
  record Ping(long sentMicros) {}

  static final TaskType<Ping, Void> PING = TaskType.of("bench::ping", Ping.class);

  /** The latencies of one turn. */
  private record Turn(double p50, double p99) {
    static Turn of(List<Double> millis) {
      return new Turn(Quantiles.of(millis, 0.50), Quantiles.of(millis, 0.99));
    }
  }

  @Override
  public void measure(Bench bench) throws Exception {
    int samples = bench.quick() ? 20 : 200;
    BlockingQueue<Double> pickups = new LinkedBlockingQueue<>();
    try (BenchDatabase database = bench.server().fresh();
        RawJobs raw = new RawJobs(bench.server());
        Connection listener = bench.server().connect();
        HoldfastNode node =
            HoldfastNode.on(database.store())
                .handle(
                    PING,
                    (ping, context) -> {
                      pickups.add((Micros.now() - ping.sentMicros()) / 1e3);
                      return null;
                    })
                .start();
        Child producer = Child.start(bench.server(), database.schema(), "producer-child")) {
      producer.await(Child.READY);
      try (Statement statement = listener.createStatement()) {
        statement.execute("listen " + ProducerChild.CHANNEL);
      }
      Rounds<Turn> rounds =
          bench
              .<Turn>rounds("latency")
              .side("pickup", () -> pickUp(producer, pickups, samples))
              .side("bare", () -> receive(producer, listener, raw.schema(), samples))
              .run();
      report(bench.report(), rounds);
      bench.say("latency", "done by node " + node.id());
    }
  }

  private static void report(Report report, Rounds<Turn> rounds) {
    report.add(Measure.of("latency.p50", rounds.median("pickup", Turn::p50), "ms"));
    report.add(Measure.of("latency.p99", rounds.median("pickup", Turn::p99), "ms"));
    report.add(Measure.of("latency.bare_p50", rounds.median("bare", Turn::p50), "ms"));
    report.add(Measure.of("latency.bare_p99", rounds.median("bare", Turn::p99), "ms"));
    report.add(
        Measure.of("latency.p50_ratio", rounds.ratio("pickup", "bare", Turn::p50), Measure.RATIO)
            .should(Bar.atMost(3)));
    report.add(
        Measure.of("latency.p99_ratio", rounds.ratio("pickup", "bare", Turn::p99), Measure.RATIO)
            .should(Bar.atMost(5)));
  }

  private static Turn pickUp(Child producer, BlockingQueue<Double> pickups, int samples)
      throws Exception {
    producer.tell(ProducerChild.ENQUEUE + " " + samples);
    List<Double> millis = new ArrayList<>();
    while (millis.size() < samples) {
      Double pickup = pickups.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      if (pickup == null) {
        throw new BenchException(
            "The node has started only %d of %d jobs.".formatted(millis.size(), samples));
      }
      millis.add(pickup);
    }
    producer.await(Child.DONE);
    return Turn.of(millis);
  }

  private static Turn receive(Child producer, Connection listener, String schema, int samples)
      throws Exception {
    PGConnection connection = listener.unwrap(PGConnection.class);
    producer.tell("%s %d %s".formatted(ProducerChild.NOTIFY, samples, schema));
    List<Double> millis = new ArrayList<>();
    while (millis.size() < samples) {
      for (PGNotification notification : notifications(connection)) {
        long sent = Long.parseLong(notification.getParameter());
        millis.add((Micros.now() - sent) / 1e3);
      }
    }
    producer.await(Child.DONE);
    return Turn.of(millis);
  }

  private static PGNotification[] notifications(PGConnection connection) throws SQLException {
    PGNotification[] received = connection.getNotifications((int) PATIENCE.toMillis());
    if (received == null || received.length == 0) {
      throw new BenchException(
          "No bare notification was received in " + PATIENCE.toSeconds() + " s.");
    }
    return received;
  }
}
