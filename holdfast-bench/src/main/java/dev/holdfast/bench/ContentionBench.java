package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import picocli.CommandLine.Command;

/** Measures whether processes slow each other down. */
@Command(
    name = "contention",
    description =
        "Run 200k no-op jobs in two processes on one database, and compare with one process.")
public final class ContentionBench extends BenchCommand {

  private static final int WARM_UPS = 5;

  // Both sides keep all cores busy, so other load on the machine affects single rounds.
  private static final int ROUNDS = 9;

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(200_000, 2_000);
    try (BenchDatabase database = bench.server().fresh();
        Child one = Child.start(bench.server(), database.schema(), "drain-child");
        Child two = Child.start(bench.server(), database.schema(), "drain-child")) {
      one.await(Child.READY);
      two.await(Child.READY);
      List<Child> both = List.of(one, two);
      warmUp(bench, database, jobs, both);
      Deque<Child> turns = new ArrayDeque<>(both);
      Rounds<Double> rounds =
          bench
              .<Double>rounds("contention", ROUNDS)
              .side("two", () -> drain(bench.server(), database, jobs, both))
              .side("one", () -> drain(bench.server(), database, jobs, List.of(next(turns))))
              .run();
      Report report = bench.report();
      report.add(Measure.of("contention.one", rounds.median("one", r -> r), "jobs/s"));
      report.add(Measure.of("contention.two", rounds.median("two", r -> r), "jobs/s"));
      report.add(
          Measure.of("contention.ratio", rounds.ratio("two", "one", r -> r), Measure.RATIO)
              .should(Bar.atLeast(0.95)));
    }
  }

  /**
   * Lets both processes run the same number of jobs before the measured rounds. A process that has
   * run fewer still compiles its code, which takes as much time as running it and would look like
   * contention.
   */
  private static void warmUp(Bench bench, BenchDatabase database, int jobs, List<Child> children)
      throws Exception {
    for (int turn = 1; turn <= WARM_UPS; turn++) {
      for (Child child : children) {
        bench.say("contention", "warm-up of each alone, %d of %d".formatted(turn, WARM_UPS));
        drain(bench.server(), database, jobs, List.of(child));
      }
    }
  }

  private static Child next(Deque<Child> turns) {
    Child child = turns.removeFirst();
    turns.addLast(child);
    return child;
  }

  private static double drain(
      BenchServer server, BenchDatabase database, int jobs, List<Child> children) throws Exception {
    database.clear();
    NoopJobs.enqueue(database.store(), jobs);
    server.settle();
    long started = Micros.now();
    for (Child child : children) {
      child.tell(Integer.toString(NoopJobs.CONCURRENCY));
    }
    long ended = started;
    for (Child child : children) {
      long[] ranAndWhen = child.await(Child.DONE);
      ended = ranAndWhen[0] == 0 ? ended : Math.max(ended, ranAndWhen[1]);
    }
    database.requireDone(jobs, 0);
    return jobs / ((ended - started) / 1e6);
  }
}
