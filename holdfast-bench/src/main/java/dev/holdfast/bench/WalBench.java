package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** Measures how much write-ahead log a job causes. */
@Command(
    name = "wal",
    description = {
      "Count the bytes of write-ahead log per no-op job, from enqueue to history.",
      "Also in new processes with default settings, with and without prefetching, together with the"
          + " row versions that become dead for each job."
    })
public final class WalBench extends BenchCommand {

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(50_000, 2_000);
    BenchServer server = bench.server();
    try (BenchDatabase database = server.fresh()) {
      server.fullPageWrites(false);
      List<Double> bytes = new ArrayList<>();
      for (int round = 0; round <= bench.roundCount(); round++) {
        bench.say("wal", round == 0 ? "warm-up" : "round " + round);
        double each = bytesPerJob(server, database, jobs);
        if (round > 0) {
          bytes.add(each);
        }
      }
      comparePrefetch(bench, database, jobs);
      Measure found = Measure.of("wal.per_job", Quantiles.median(bytes), "bytes");
      if (server.isOurs()) {
        bench.report().add(found.should(Bar.atMost(1050)));
      } else {
        bench.report().add(found);
        bench
            .report()
            .note(
                "wal.per_job has no bar on this server: it includes full-page images and the writes"
                    + " of other sessions, which only the embedded server excludes.");
      }
    } finally {
      server.fullPageWrites(true);
    }
  }

  /** What one job costs: the bytes of write-ahead log, and the row versions that become dead. */
  private record Cost(double bytes, double versions) {}

  private static void comparePrefetch(Bench bench, BenchDatabase database, int jobs)
      throws Exception {
    Rounds<Cost> rounds =
        bench
            .<Cost>rounds("wal")
            .side("automatic", () -> cost(bench.server(), database, jobs, "0"))
            .side("none", () -> cost(bench.server(), database, jobs, DrainChild.WITHOUT_PREFETCH))
            .withoutWarmUp()
            .run();
    Report report = bench.report();
    report.add(Measure.of("wal.default", rounds.median("automatic", Cost::bytes), "bytes"));
    report.add(Measure.of("wal.no_prefetch", rounds.median("none", Cost::bytes), "bytes"));
    report.add(
        Measure.of(
                "wal.prefetch_ratio", rounds.ratio("automatic", "none", Cost::bytes), Measure.RATIO)
            .should(Bar.atMost(1.05)));
    report.add(
        Measure.of("wal.row_versions", rounds.median("automatic", Cost::versions), "per job")
            .should(Bar.atMost(2.1)));
  }

  /** Drains jobs in a new process, whose end makes its statistics visible. */
  private static Cost cost(BenchServer server, BenchDatabase database, int jobs, String order)
      throws Exception {
    database.clear();
    server.settle();
    long wal = server.walPosition();
    NoopJobs.enqueue(database.store(), jobs);
    long versions = deadVersions(server, database);
    try (Child child = Child.start(server, database.schema(), "drain-child")) {
      child.await(Child.READY);
      child.tell(order);
      child.await(Child.DONE);
    }
    database.requireDone(jobs, 0);
    return new Cost(
        (server.walPosition() - wal) / (double) jobs,
        (deadVersions(server, database) - versions) / (double) jobs);
  }

  /** Returns how many row versions have become dead, by updates and deletes. */
  private static long deadVersions(BenchServer server, BenchDatabase database) throws SQLException {
    return server.number(
        "select sum(n_tup_upd + n_tup_del)::bigint from pg_stat_user_tables where schemaname = '%s'"
            .formatted(database.schema()));
  }

  private static double bytesPerJob(BenchServer server, BenchDatabase database, int jobs)
      throws SQLException {
    database.clear();
    server.settle();
    long before = server.walPosition();
    NoopJobs.enqueue(database.store(), jobs);
    NoopJobs.drain(database.store(), jobs);
    long after = server.walPosition();
    database.requireDone(jobs, 0);
    return (after - before) / (double) jobs;
  }
}
