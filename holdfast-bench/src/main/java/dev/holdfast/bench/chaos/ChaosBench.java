package dev.holdfast.bench.chaos;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.bench.chaos.ChaosRun.Outcome;
import dev.holdfast.bench.chaos.ChaosRun.Plan;
import dev.holdfast.bench.chaos.Script.Kind;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Checks Holdfast's guarantees while nodes, the network and PostgreSQL fail. */
@Command(
    name = "chaos",
    description = {
      "Kill, stop and disconnect nodes and restart PostgreSQL under load, then check every effect.",
      "Runs only on the embedded PostgreSQL, because it kills the database too."
    })
public final class ChaosBench extends BenchCommand {
  private static final String DATABASE = "chaos";
  private static final int MOST_SENTENCES = 20;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "How long to inject faults in each run, in minutes. Defaults to 5, or 1 with --quick.")
  private @Nullable Double minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "The seed that determines which faults happen when. Defaults to 1.")
  private long seed = 1;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "The number of runs, one after another, with consecutive seeds from --seed on."
              + " Defaults to 1.")
  private int seeds = 1;

  /** Returns false: a violated guarantee needs no second round. */
  @Override
  protected boolean takesTurns() {
    return false;
  }

  @Override
  public void measure(Bench bench) throws Exception {
    if (seeds < 1) {
      throw new BenchException("%d seeds are not valid: use at least 1.".formatted(seeds));
    }
    silence("com.zaxxer.hikari", "dev.holdfast");
    EmbeddedPostgres server =
        bench
            .server()
            .own()
            .orElseThrow(() ->
                new BenchException(
                    "The chaos benchmark kills the database, so it runs only on the embedded one:"
                        + " remove --database-url and HOLDFAST_DATABASE_URL."));
    double length = minutes != null ? minutes : bench.quick() ? 1 : 5;
    ChaosTotals toll = ChaosTotals.NONE;
    for (int number = 0; number < seeds; number++) {
      Plan plan = Plan.of(seed + number, Duration.ofMillis((long) (length * 60_000)));
      ChaosTotals storm = storm(bench, server, DATABASE + number, plan);
      bench.say("chaos", "seed %d: %s".formatted(plan.seed(), storm));
      toll = toll.plus(storm);
    }
    if (seeds > 1) {
      bench.say("chaos", "all %d runs: %s".formatted(seeds, toll));
    }
    report(bench.report(), toll);
  }

  private static ChaosTotals storm(Bench bench, EmbeddedPostgres server, String database, Plan plan)
      throws Exception {
    server.createDatabase(database);
    Path folder = Files.createTempDirectory("holdfast-chaos-");
    ChaosRun run = new ChaosRun(server, database, folder, step -> bench.say("chaos", step));
    Outcome outcome = run.run(plan);
    Report report = bench.report();
    outcome.findings().sentences().stream().limit(MOST_SENTENCES).forEach(report::note);
    outcome.stuck().forEach(report::note);
    if (outcome.findings().none()) {
      Traces.erase(folder);
    } else {
      report.note(
          "The effects and logs of the nodes of seed %d are in %s.".formatted(plan.seed(), folder));
    }
    return ChaosTotals.of(outcome);
  }

  /** Turns off loggers, whose errors about the killed database would hide the table. */
  private static void silence(String... loggers) {
    for (String name : loggers) {
      if (LoggerFactory.getLogger(name) instanceof Logger logger) {
        logger.setLevel(Level.OFF);
      }
    }
  }

  private static void report(Report report, ChaosTotals toll) {
    Findings findings = toll.findings();
    wrong(report, "chaos.lost", findings.lost(), "jobs");
    wrong(report, "chaos.ended_twice", findings.endedTwice(), "jobs");
    wrong(report, "chaos.failed", findings.failed(), "jobs");
    wrong(report, "chaos.out_of_order", findings.outOfOrder(), "attempts");
    wrong(report, "chaos.stale_accepted", findings.staleAccepted(), "jobs");
    wrong(report, "chaos.wrong_runs", findings.wrongRuns(), "runs");
    wrong(report, "chaos.early_steps", findings.earlySteps(), "steps");
    wrong(report, "chaos.wrong_transactions", findings.wrongBookings(), "steps");
    shown(report, "chaos.storms", toll.storms(), "storms");
    shown(report, "chaos.jobs", toll.jobs(), "jobs");
    shown(report, "chaos.runs", toll.runs(), "runs");
    shown(report, "chaos.effects", toll.effects(), "effects");
    for (Kind kind : Kind.values()) {
      shown(report, "chaos." + kind.measure(), toll.blows(kind), "times");
    }
    shown(report, "chaos.fencings", toll.counts().fenced(), "times");
    shown(report, "chaos.deaths", toll.counts().died(), "nodes");
    shown(report, "chaos.recoveries", toll.counts().recovered(), "jobs");
    shown(report, "chaos.stale_rejected", toll.counts().stale(), "writes");
    report.add(Measure.of("chaos.settled", toll.settled().toMillis() / 1e3, "s"));
    if (toll.blows(Kind.CLOCK) == 0) {
      report.note(
          "No clock was shifted, because libfaketime was not found below /usr/lib: on Debian,"
              + " install the package libfaketime.");
    }
  }

  private static void wrong(Report report, String name, long value, String unit) {
    report.add(Measure.of(name, (double) value, unit).should(Bar.atMost(0)));
  }

  private static void shown(Report report, String name, long value, String unit) {
    report.add(Measure.of(name, (double) value, unit));
  }
}
