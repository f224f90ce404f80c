package dev.holdfast.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.bench.peers.DbSchedulerPeer;
import dev.holdfast.bench.peers.JobRunrPeer;
import dev.holdfast.bench.peers.Peer;
import dev.holdfast.bench.peers.QuartzPeer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

/** Compares Holdfast with other schedulers. */
@Command(
    name = "peers",
    description = {
      "Drain no-op jobs with Holdfast, db-scheduler, JobRunr and Quartz in turns.",
      "All use the same server. Holdfast runs 100k jobs in a round, the others as many as they"
          + " run in a few seconds."
    })
public final class PeersBench extends BenchCommand {
  private static final String HOLDFAST = "holdfast";

  @Override
  public void measure(Bench bench) throws Exception {
    silence("org.jobrunr", "org.quartz", "com.github.kagkarlsson");
    List<PeerSetup> setups = new ArrayList<>();
    try (BenchDatabase database = bench.server().fresh()) {
      for (Peer peer : List.of(new DbSchedulerPeer(), new JobRunrPeer(), new QuartzPeer())) {
        setups.add(PeerSetup.install(bench.server(), peer));
      }
      Rounds<Double> rounds = bench.<Double>rounds("peers");
      int jobs = bench.jobs(100_000, 2_000);
      rounds.side(HOLDFAST, () -> database.drain(jobs));
      for (PeerSetup setup : setups) {
        int own = bench.jobs(setup.comfortableRound(), 500);
        rounds.side(name(setup), () -> setup.drain(own));
      }
      rounds.run();
      report(bench.report(), rounds, setups.stream().map(PeersBench::name).toList());
    } finally {
      for (PeerSetup setup : setups) {
        setup.close();
      }
    }
  }

  /** Turns off the loggers of the peers, whose output would hide the table. */
  private static void silence(String... loggers) {
    for (String name : loggers) {
      if (LoggerFactory.getLogger(name) instanceof Logger logger) {
        logger.setLevel(Level.OFF);
      }
    }
  }

  private static void report(Report report, Rounds<Double> rounds, List<String> peers) {
    report.add(Measure.of("peers.holdfast", rounds.median(HOLDFAST, r -> r), "jobs/s"));
    for (String peer : peers) {
      report.add(Measure.of("peers." + peer, rounds.median(peer, r -> r), "jobs/s"));
    }
    String best =
        peers.stream()
            .max(Comparator.comparingDouble(peer -> rounds.median(peer, r -> r)))
            .orElseThrow();
    report.add(
        Measure.of("peers.ratio", rounds.ratio(HOLDFAST, best, r -> r), Measure.RATIO)
            .should(Bar.atLeast(4)));
    report.note("peers.ratio compares Holdfast with the fastest peer, %s.".formatted(best));
  }

  /** Returns the name without the version, because names of measures are stable. */
  private static String name(PeerSetup setup) {
    String full = setup.name().toLowerCase(Locale.ROOT);
    int version = full.indexOf(' ');
    return version < 0 ? full : full.substring(0, version);
  }
}
