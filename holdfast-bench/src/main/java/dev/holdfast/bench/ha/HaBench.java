package dev.holdfast.bench.ha;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.bench.chaos.Findings;
import dev.holdfast.bench.chaos.Traces;
import dev.holdfast.bench.ha.Failover.Return;
import dev.holdfast.bench.ha.HaRun.Outcome;
import dev.holdfast.bench.ha.HaRun.Plan;
import dev.holdfast.bench.ha.Pooler.Mode;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures how nodes and clients get through a failover of the database. */
@Command(
    name = "ha",
    description = {
      "Kill the primary of a PostgreSQL cluster with a synchronous standby under load, again and"
          + " again, directly and behind PgBouncer; check every effect, and time the return of the"
          + " service.",
      "Creates its own cluster with pg_auto_failover, so it needs the Debian packages"
          + " pg-auto-failover-cli, postgresql-15-auto-failover and pgbouncer. Takes about 8"
          + " minutes."
    })
public final class HaBench extends BenchCommand {
  private static final int FAILOVERS = 4;
  private static final int MOST_SENTENCES = 20;
  private static final Bar SERVICE_BACK = Bar.atMost(5);

  /** How long the monitor waits until it promotes a standby, in turn; 30 s is its default. */
  private static final List<Duration> WAITS =
      List.of(
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          Duration.ofSeconds(15),
          Duration.ofSeconds(30));

  @Option(
      names = "--pooler",
      paramLabel = "MODE",
      description =
          "How nodes and clients connect: ${COMPLETION-CANDIDATES}. SESSION and TRANSACTION are"
              + " the modes of PgBouncer. Defaults to all three, one after another.")
  private @Nullable Mode pooler;

  @Option(
      names = "--asynchronous",
      description =
          "Commit without waiting for the standby, and let it lag by a second when the primary is"
              + " killed. Acknowledged jobs may then be lost, which the check reports.")
  private boolean lossy;

  /** Returns false: there are no sides to compare. */
  @Override
  protected boolean takesTurns() {
    return false;
  }

  @Override
  protected boolean usesServer() {
    return false;
  }

  @Override
  public void measure(Bench bench) throws Exception {
    silence("com.zaxxer.hikari", "dev.holdfast");
    List<Mode> modes = pooler != null ? List.of(pooler) : List.of(Mode.values());
    Optional<String> missing = Installation.missing();
    if (missing.isPresent()) {
      bench.report().note("ha was " + missing.get() + ".");
      modes.forEach(mode -> notMeasured(bench.report(), mode));
      return;
    }
    int rounds = bench.rounds(FAILOVERS, 1);
    try (FailoverCluster cluster = FailoverCluster.create()) {
      for (Mode mode : modes) {
        if (mode != Mode.DIRECT && Installation.find().pgBouncer().isEmpty()) {
          bench
              .report()
              .note(
                  "ha.%s was skipped: needs the package pgbouncer (on Debian: apt-get install pgbouncer)."
                      .formatted(mode.text()));
          notMeasured(bench.report(), mode);
        } else {
          run(bench, cluster, mode, rounds);
        }
      }
    }
  }

  private void run(Bench bench, FailoverCluster cluster, Mode mode, int rounds) throws Exception {
    Path folder = Files.createTempDirectory("holdfast-ha-");
    HaRun run =
        new HaRun(cluster, mode, folder, step -> bench.say("ha", mode.text() + ": " + step));
    Outcome outcome =
        run.run(
            new Plan(
                IntStream.range(0, rounds).mapToObj(i -> WAITS.get(i % WAITS.size())).toList(),
                lossy));
    Report report = bench.report();
    outcome.verified().findings().sentences().stream().limit(MOST_SENTENCES).forEach(report::note);
    outcome.verified().stuck().forEach(report::note);
    if (outcome.clean()) {
      Traces.erase(folder);
    } else {
      report.note("The effects and logs of the nodes are in %s.".formatted(folder));
    }
    bench.say("ha", mode.text() + ": " + outcome);
    report(report, mode, outcome);
  }

  private static void report(Report report, Mode mode, Outcome outcome) {
    Findings findings = outcome.verified().findings();
    none(report, mode, "lost", findings.lost(), "jobs");
    none(report, mode, "stale_accepted", findings.staleAccepted(), "jobs");
    none(report, mode, "other_findings", others(findings), "findings");
    none(report, mode, "restarts", outcome.restarts(), "nodes");
    Return returned = outcome.returned();
    back(report, mode, "enqueue_back", returned.enqueue());
    back(report, mode, "job_back", returned.job());
    back(report, mode, "all_nodes_back", returned.allNodes());
    shown(report, mode, "failovers", outcome.outages().size(), "times");
    report.add(
        Measure.of(
            name(mode, "longest_outage"),
            outcome.outages().stream().mapToDouble(HaBench::seconds).max().orElse(Double.NaN),
            "s"));
    shown(report, mode, "jobs", outcome.verified().acknowledged().size(), "jobs");
    shown(report, mode, "runs", outcome.verified().runs(), "runs");
    shown(report, mode, "fencings", outcome.verified().counts().fenced(), "times");
    shown(report, mode, "recoveries", outcome.verified().counts().recovered(), "jobs");
    shown(report, mode, "stale_rejected", outcome.verified().counts().stale(), "writes");
  }

  private static int others(Findings findings) {
    return findings.count() - findings.lost() - findings.staleAccepted();
  }

  private static void notMeasured(Report report, Mode mode) {
    for (String measure : List.of("lost", "stale_accepted", "other_findings", "restarts")) {
      none(report, mode, measure, Double.NaN, "");
    }
    for (String measure : List.of("enqueue_back", "job_back", "all_nodes_back")) {
      report.add(Measure.of(name(mode, measure), Double.NaN, "s").should(SERVICE_BACK));
    }
  }

  private static void none(Report report, Mode mode, String name, double value, String unit) {
    report.add(Measure.of(name(mode, name), value, unit).should(Bar.atMost(0)));
  }

  private static void back(Report report, Mode mode, String name, Duration value) {
    report.add(Measure.of(name(mode, name), seconds(value), "s").should(SERVICE_BACK));
  }

  private static void shown(Report report, Mode mode, String name, long value, String unit) {
    report.add(Measure.of(name(mode, name), (double) value, unit));
  }

  private static String name(Mode mode, String measure) {
    return "ha.%s.%s".formatted(mode.text(), measure);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }

  /** Turns off loggers, whose errors about the killed database would hide the table. */
  private static void silence(String... loggers) {
    for (String name : loggers) {
      if (LoggerFactory.getLogger(name) instanceof Logger logger) {
        logger.setLevel(Level.OFF);
      }
    }
  }
}
