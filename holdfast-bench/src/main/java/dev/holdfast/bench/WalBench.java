package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Quantiles;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** Measures how much write-ahead log a job causes. */
@Command(
    name = "wal",
    description = "Count the bytes of write-ahead log per no-op job, from enqueue to history.")
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
      Measure found = Measure.of("wal.per_job", Quantiles.median(bytes), "bytes");
      if (server.isOurs()) {
        bench.report().add(found.should(Bar.atMost(1300)));
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
