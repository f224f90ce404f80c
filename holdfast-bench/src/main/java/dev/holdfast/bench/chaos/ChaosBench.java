package dev.holdfast.bench.chaos;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.bench.chaos.ChaosRun.Outcome;
import dev.holdfast.bench.chaos.ChaosRun.Plan;
import dev.holdfast.bench.chaos.Script.Kind;
import dev.holdfast.cli.bench.Bar;
import dev.holdfast.cli.bench.Bench;
import dev.holdfast.cli.bench.BenchCommand;
import dev.holdfast.cli.bench.BenchException;
import dev.holdfast.cli.bench.Measure;
import dev.holdfast.cli.bench.Report;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Whether Holdfast keeps its promises while everything around it breaks. */
@Command(
    name = "chaos",
    description = {
      "Kill, stop and cut off nodes and restart PostgreSQL under load, then check every effect.",
      "On an embedded PostgreSQL only, since it is killed too."
    })
public final class ChaosBench extends BenchCommand {
  private static final String DATABASE = "chaos";
  private static final int MOST_SENTENCES = 20;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "How long the storm lasts. Defaults to 5, or 1 with --quick.")
  private @Nullable Double minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "What happens when; the same for the same seed. Defaults to 1.")
  private long seed = 1;

  @Override
  protected void measure(Bench bench) throws Exception {
    silence("com.zaxxer.hikari", "dev.holdfast");
    EmbeddedPostgres server =
        bench
            .server()
            .own()
            .orElseThrow(() ->
                new BenchException(
                    "Chaos kills the database, so it runs on one of its own only: leave out"
                        + " --database-url and HOLDFAST_DATABASE_URL."));
    server.createDatabase(DATABASE);
    double length = minutes != null ? minutes : bench.quick() ? 1 : 5;
    Path folder = Files.createTempDirectory("holdfast-chaos-");
    ChaosRun run = new ChaosRun(server, DATABASE, folder, step -> bench.say("chaos", step));
    Outcome outcome = run.run(Plan.of(seed, Duration.ofMillis((long) (length * 60_000))));
    report(bench.report(), outcome);
    if (outcome.findings().none()) {
      Traces.erase(folder);
    } else {
      bench.report().note("What the nodes wrote and said is in %s.".formatted(folder));
    }
  }

  /** What this process says about the database it kills would drown the table. */
  private static void silence(String... loggers) {
    for (String name : loggers) {
      if (LoggerFactory.getLogger(name) instanceof Logger logger) {
        logger.setLevel(Level.OFF);
      }
    }
  }

  private static void report(Report report, Outcome outcome) {
    Findings findings = outcome.findings();
    wrong(report, "chaos.lost", findings.lost(), "jobs");
    wrong(report, "chaos.ended_twice", findings.endedTwice(), "jobs");
    wrong(report, "chaos.failed", findings.failed(), "jobs");
    wrong(report, "chaos.out_of_order", findings.outOfOrder(), "attempts");
    wrong(report, "chaos.stale_accepted", findings.staleAccepted(), "jobs");
    shown(report, "chaos.jobs", outcome.jobs(), "jobs");
    shown(report, "chaos.effects", outcome.effects(), "effects");
    for (Kind kind : Kind.values()) {
      shown(report, "chaos." + kind.measure(), outcome.script().count(kind), "times");
    }
    shown(report, "chaos.fencings", outcome.counts().fenced(), "times");
    shown(report, "chaos.deaths", outcome.counts().died(), "nodes");
    shown(report, "chaos.recoveries", outcome.counts().recovered(), "jobs");
    shown(report, "chaos.stale_rejected", outcome.counts().stale(), "writes");
    report.add(Measure.of("chaos.settled", outcome.settled().toMillis() / 1e3, "s"));
    if (outcome.script().count(Kind.CLOCK) == 0) {
      report.note(
          "No clock was set wrong: that needs libfaketime, which is not below /usr/lib; on Debian"
              + " it is the package libfaketime.");
    }
    findings.sentences().stream().limit(MOST_SENTENCES).forEach(report::note);
    outcome.stuck().forEach(report::note);
  }

  private static void wrong(Report report, String name, long value, String unit) {
    report.add(Measure.of(name, (double) value, unit).should(Bar.atMost(0)));
  }

  private static void shown(Report report, String name, long value, String unit) {
    report.add(Measure.of(name, (double) value, unit));
  }
}
