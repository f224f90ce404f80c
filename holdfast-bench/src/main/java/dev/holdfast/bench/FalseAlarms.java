package dev.holdfast.bench;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.engine.client.HoldfastClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures whether busy nodes are falsely declared dead: two nodes with default settings and two
 * with fast failover, with several times more CPU-bound work than there are cores.
 */
final class FalseAlarms {
  private static final Duration TOP_UP_EVERY = Duration.ofMillis(500);
  private static final int BACKLOG = 500;

  private final Bench bench;

  FalseAlarms(Bench bench) {
    this.bench = bench;
  }

  void measure(Duration length) throws Exception {
    BenchServer server = bench.server();
    try (BenchDatabase usual = server.fresh();
        BenchDatabase fast = server.fresh();
        Child usualOne = Child.start(server, usual.schema(), "busy-child");
        Child usualTwo = Child.start(server, usual.schema(), "busy-child");
        Child fastOne = Child.start(server, fast.schema(), "busy-child");
        Child fastTwo = Child.start(server, fast.schema(), "busy-child")) {
      start(BusyChild.DEFAULT, usualOne, usualTwo);
      start(BusyChild.FAST, fastOne, fastTwo);
      bench.say("failover", "all cores saturated for %d s".formatted(length.toSeconds()));
      keepBusy(length, usual, fast);
      report(BusyChild.DEFAULT, usual);
      report(BusyChild.FAST, fast);
      // A clean shutdown would take long, because the cores are saturated.
      List.of(usualOne, usualTwo, fastOne, fastTwo).forEach(Child::kill);
    }
  }

  private static void start(String settings, Child... children) throws Exception {
    for (Child child : children) {
      child.await(Child.READY);
      child.tell(settings);
      child.await(Child.DONE);
    }
  }

  private void keepBusy(Duration length, BenchDatabase... databases) throws Exception {
    long started = System.nanoTime();
    while (System.nanoTime() - started < length.toNanos()) {
      for (BenchDatabase database : databases) {
        topUp(database);
      }
      Thread.sleep(TOP_UP_EVERY);
    }
  }

  private void topUp(BenchDatabase database) throws SQLException {
    long missing =
        BACKLOG - bench.server().number("select count(*) from %s.job".formatted(database.schema()));
    List<JobRequest<HoldTask.Nothing, Void>> requests = new ArrayList<>();
    for (long job = 0; job < missing; job++) {
      requests.add(JobRequest.of(BusyChild.TASK, new HoldTask.Nothing()));
    }
    if (!requests.isEmpty()) {
      try (Holdfast client = HoldfastClient.on(database.store())) {
        client.enqueueAll(requests);
      }
    }
  }

  private void report(String settings, BenchDatabase database) throws SQLException {
    String name = settings.toLowerCase(Locale.ROOT);
    long dead =
        bench
            .server()
            .number(
                "select count(*) from %s.node where state = 'DEAD'".formatted(database.schema()));
    long done =
        bench.server().number("select count(*) from %s.job_history".formatted(database.schema()));
    bench.report().add(Measure.of("failover.busy_jobs_" + name, (double) done, "jobs"));
    bench
        .report()
        .add(
            Measure.of("failover.false_alarms_" + name, (double) dead, "nodes")
                .should(Bar.atMost(0)));
  }
}
