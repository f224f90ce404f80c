package dev.holdfast.bench;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.bench.PickupChild.Kind;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import java.io.IOException;
import picocli.CommandLine.Command;

/** Measures how soon an idle node starts a job. */
@Command(
    name = "latency",
    description = {
      "Measure how soon an idle node starts a job, with 50 jobs a second, in new processes.",
      "From just before the enqueue to the start of the job, without the first 200 jobs. Compares"
          + " jobs of another process with a bare insert and NOTIFY that another process receives"
          + " and claims by id, and jobs of the same process with db-scheduler's immediate"
          + " execution."
    })
public final class LatencyBench extends BenchCommand {
  static final String RECEIVE = "RECEIVE";
  static final String BOTH = "BOTH";

  /** The payload: when the producer enqueued it. */
  record Ping(long sentMicros) {}

  static final TaskType<Ping, Void> PING = TaskType.of("bench::ping", Ping.class);

  /** The latencies of one turn, in milliseconds. */
  private record Turn(double p50, double p99) {
    static Turn of(long[] micros) {
      return new Turn(micros[0] / 1e3, micros[1] / 1e3);
    }
  }

  @Override
  public void measure(Bench bench) throws Exception {
    int samples = bench.quick() ? 20 : 400;
    BenchServer server = bench.server();
    JavaPeers.silence();
    try (BenchDatabase database = server.fresh();
        RawJobs raw = new RawJobs(server);
        PeerTables peer = PeerTables.of(server, JavaPeers.DB_SCHEDULER)) {
      String own = database.schema();
      Rounds<Turn> rounds =
          bench
              .<Turn>rounds("latency")
              .side(
                  "pickup",
                  () -> fromAnother(server, own, own, Kind.NODE, ProducerChild.ENQUEUE, samples))
              .side(
                  "bare",
                  () ->
                      fromAnother(
                          server, own, raw.schema(), Kind.BARE, ProducerChild.NOTIFY, samples))
              .side("same", () -> fromTheSame(server, own, own, Kind.NODE, samples))
              .side(
                  "db_scheduler",
                  () -> {
                    peer.fill(0);
                    return fromTheSame(server, own, peer.schema(), Kind.DB_SCHEDULER, samples);
                  })
              .withoutWarmUp()
              .run();
      report(bench.report(), rounds);
    }
  }

  private static void report(Report report, Rounds<Turn> rounds) {
    report.add(Measure.of("latency.p50", rounds.median("pickup", Turn::p50), "ms"));
    report.add(Measure.of("latency.p99", rounds.median("pickup", Turn::p99), "ms"));
    report.add(Measure.of("latency.bare_p50", rounds.median("bare", Turn::p50), "ms"));
    report.add(Measure.of("latency.bare_p99", rounds.median("bare", Turn::p99), "ms"));
    report.add(
        Measure.of("latency.p50_ratio", rounds.ratio("pickup", "bare", Turn::p50), Measure.RATIO)
            .should(Bar.atMost(1.5)));
    report.add(
        Measure.of("latency.p99_ratio", rounds.ratio("pickup", "bare", Turn::p99), Measure.RATIO)
            .should(Bar.atMost(1.5)));
    report.add(Measure.of("latency.same_p50", rounds.median("same", Turn::p50), "ms"));
    report.add(Measure.of("latency.same_p99", rounds.median("same", Turn::p99), "ms"));
    report.add(
        Measure.of("latency.db_scheduler_p50", rounds.median("db_scheduler", Turn::p50), "ms"));
    report.add(
        Measure.of("latency.db_scheduler_p99", rounds.median("db_scheduler", Turn::p99), "ms"));
    report.add(
        Measure.of(
                "latency.same_p50_ratio",
                rounds.ratio("same", "db_scheduler", Turn::p50),
                Measure.RATIO)
            .should(Bar.atMost(1)));
    report.add(
        Measure.of(
                "latency.same_p99_ratio",
                rounds.ratio("same", "db_scheduler", Turn::p99),
                Measure.RATIO)
            .should(Bar.atMost(1)));
  }

  /** Measures jobs of another process that is as old as the one that starts them. */
  private static Turn fromAnother(
      BenchServer server, String schema, String tables, Kind kind, String order, int samples)
      throws IOException {
    try (Child producer = Child.start(server, schema, "producer-child");
        Child consumer = consumer(server, schema, tables, kind)) {
      producer.await(Child.READY);
      consumer.await(Child.READY);
      consumer.tell(RECEIVE + " " + samples);
      producer.tell("%s %d %s".formatted(order, PickupChild.NOT_COUNTED + samples, tables));
      producer.await(Child.DONE);
      return Turn.of(consumer.await(Child.DONE));
    }
  }

  private static Turn fromTheSame(
      BenchServer server, String schema, String tables, Kind kind, int samples) throws IOException {
    try (Child consumer = consumer(server, schema, tables, kind)) {
      consumer.await(Child.READY);
      consumer.tell(BOTH + " " + samples);
      return Turn.of(consumer.await(Child.DONE));
    }
  }

  private static Child consumer(BenchServer server, String schema, String tables, Kind kind)
      throws IOException {
    return Child.start(server, schema, "pickup-child", "--kind", kind.name(), "--tables", tables);
  }
}
