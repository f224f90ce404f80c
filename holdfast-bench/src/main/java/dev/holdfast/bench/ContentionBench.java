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
import dev.holdfast.bench.harness.Rounds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures whether processes slow each other down, and whether they share jobs evenly. */
@Command(
    name = "contention",
    description = {
      "Run 200k no-op jobs in two processes on one database, and compare with one process.",
      "With processes that have run many jobs, and with new ones with default settings. Then 100"
          + " jobs of one second on two nodes with 50 slots each, which should all start at once."
    })
public final class ContentionBench extends BenchCommand {

  private static final int WARM_UPS = 5;

  // Both sides keep all cores busy, so other load on the machine affects single rounds.
  private static final int ROUNDS = 9;

  private static final String MANY = Integer.toString(NoopJobs.CONCURRENCY);
  private static final String DEFAULT = "0";

  /** What is measured. */
  enum Part {
    WARM,
    FRESH,
    SHARE
  }

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "Run only these parts: ${COMPLETION-CANDIDATES}.")
  private Set<Part> only = EnumSet.allOf(Part.class);

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(200_000, 2_000);
    try (BenchDatabase database = bench.server().fresh()) {
      if (only.contains(Part.WARM)) {
        warm(bench, database, jobs);
      }
      if (only.contains(Part.FRESH)) {
        Rounds<Double> rounds =
            bench
                .<Double>rounds("contention.fresh")
                .side("two", () -> fresh(bench.server(), database, jobs, 2))
                .side("one", () -> fresh(bench.server(), database, jobs, 1))
                .withoutWarmUp()
                .run();
        report(bench, rounds, "contention.fresh_", 0.90);
      }
      if (only.contains(Part.SHARE)) {
        share(bench, database);
      }
    }
  }

  private static void warm(Bench bench, BenchDatabase database, int jobs) throws Exception {
    try (Child one = Child.start(bench.server(), database.schema(), "drain-child");
        Child two = Child.start(bench.server(), database.schema(), "drain-child")) {
      one.await(Child.READY);
      two.await(Child.READY);
      List<Child> both = List.of(one, two);
      warmUp(bench, database, jobs, both);
      Deque<Child> turns = new ArrayDeque<>(both);
      Rounds<Double> rounds =
          bench
              .<Double>rounds("contention", ROUNDS)
              .side("two", () -> drain(bench.server(), database, jobs, both, MANY))
              .side("one", () -> drain(bench.server(), database, jobs, List.of(next(turns)), MANY))
              .run();
      report(bench, rounds, "contention.", 0.95);
    }
  }

  private static void report(Bench bench, Rounds<Double> rounds, String prefix, double bar) {
    bench.report().add(Measure.of(prefix + "one", rounds.median("one", r -> r), "jobs/s"));
    bench.report().add(Measure.of(prefix + "two", rounds.median("two", r -> r), "jobs/s"));
    bench
        .report()
        .add(
            Measure.of(prefix + "ratio", rounds.ratio("two", "one", r -> r), Measure.RATIO)
                .should(Bar.atLeast(bar)));
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
        drain(bench.server(), database, jobs, List.of(child), MANY);
      }
    }
  }

  private static Child next(Deque<Child> turns) {
    Child child = turns.removeFirst();
    turns.addLast(child);
    return child;
  }

  /** Drains jobs in new processes with default settings, without the start of their JVMs. */
  private static double fresh(BenchServer server, BenchDatabase database, int jobs, int processes)
      throws Exception {
    try (Child one = Child.start(server, database.schema(), "drain-child");
        Child two = Child.start(server, database.schema(), "drain-child")) {
      one.await(Child.READY);
      two.await(Child.READY);
      List<Child> both = List.of(one, two);
      return drain(server, database, jobs, both.subList(0, processes), DEFAULT);
    }
  }

  private static double drain(
      BenchServer server, BenchDatabase database, int jobs, List<Child> children, String order)
      throws Exception {
    database.clear();
    NoopJobs.enqueue(database.store(), jobs);
    server.settle();
    long started = Micros.now();
    for (Child child : children) {
      child.tell(order);
    }
    long ended = started;
    for (Child child : children) {
      long[] ranAndWhen = child.await(Child.DONE);
      ended = ranAndWhen[0] == 0 ? ended : Math.max(ended, ranAndWhen[1]);
    }
    database.requireDone(jobs, 0);
    return jobs / ((ended - started) / 1e6);
  }

  private static void share(Bench bench, BenchDatabase database) throws Exception {
    Rounds<Double> rounds =
        bench
            .<Double>rounds("contention.share")
            .side("share", () -> startsWithin(bench.server(), database))
            .withoutWarmUp()
            .run();
    bench
        .report()
        .add(
            Measure.of("contention.share", rounds.median("share", r -> r), "s")
                .should(Bar.atMost(1)));
  }

  /** Returns the seconds between the first and the last start of jobs for which all have a slot. */
  private static double startsWithin(BenchServer server, BenchDatabase database) throws Exception {
    database.clear();
    try (Child one = Child.start(server, database.schema(), "slow-child");
        Child two = Child.start(server, database.schema(), "slow-child")) {
      one.await(Child.READY);
      two.await(Child.READY);
      int jobs = 2 * SlowChild.SLOTS;
      SlowChild.enqueue(database.store(), jobs);
      one.tell(Integer.toString(jobs));
      two.tell(Integer.toString(jobs));
      long[] ones = one.await(Child.DONE);
      long[] twos = two.await(Child.DONE);
      return (Math.max(ones[1], twos[1]) - Math.min(ones[0], twos[0])) / 1e6;
    }
  }
}
