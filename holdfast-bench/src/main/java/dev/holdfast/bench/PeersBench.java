package dev.holdfast.bench;

import dev.holdfast.bench.PeerSide.Turn;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.bench.node.NodePackages;
import dev.holdfast.bench.node.NodePeers;
import dev.holdfast.bench.peers.Tuning;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares Holdfast with other schedulers. */
@Command(
    name = "peers",
    description = {
      "Drain no-op jobs with Holdfast, graphile-worker, pg-boss, db-scheduler, JobRunr and Quartz"
          + " in turns, in new processes.",
      "All use the same server. Each process drains jobs twice: 'fresh' is the first drain, 'warm'"
          + " the second. Each library runs with its default settings, and tuned as its"
          + " documentation recommends. Holdfast, and the others where they are fast enough, run"
          + " 200k jobs, the others as many as they run in a few seconds.",
      "graphile-worker and pg-boss need Node.js and npm, which downloads them once, about 60 MB."
    })
public final class PeersBench extends BenchCommand {
  static final String HOLDFAST = "holdfast";

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description =
          "Run only these libraries and these measurements (all, if none is named):"
              + " ${COMPLETION-CANDIDATES}.")
  private Set<PeerPart> only = EnumSet.allOf(PeerPart.class);

  @Override
  public void measure(Bench bench) throws Exception {
    JavaPeers.silence();
    PeerChoice choice = PeerChoice.of(only);
    List<PeerTables> tables = new ArrayList<>();
    try {
      List<PeerSide> sides = sides(bench, choice, tables);
      Rounds<Turn> drains = bench.<Turn>rounds("peers").withoutWarmUp();
      Rounds<Double> starts = bench.<Double>rounds("peers.start").withoutWarmUp();
      for (PeerSide side : sides) {
        if (choice.drains(side.tuning)) {
          // No more than usual: some would take minutes.
          int jobs = Math.min(side.jobs, bench.jobs(side.jobs, 500));
          drains.side(side.toString(), () -> side.drain(jobs));
        }
        if (choice.starts() && side.tuning == Tuning.DEFAULT) {
          starts.side(side.label, side::start);
        }
      }
      drains.run();
      starts.run();
      new PeerReport(bench.report(), drains, starts, choice).add();
    } finally {
      for (PeerTables each : tables) {
        each.close();
      }
    }
  }

  /** Creates the tables and the sides of the chosen libraries. */
  private static List<PeerSide> sides(Bench bench, PeerChoice choice, List<PeerTables> tables)
      throws SQLException, IOException {
    BenchServer server = bench.server();
    List<PeerSide> sides = new ArrayList<>();
    if (choice.has(HOLDFAST)) {
      PeerTables own = PeerTables.ofHoldfast(server);
      tables.add(own);
      choice.tunings().forEach(tuning -> sides.add(PeerSide.ofHoldfast(server, own, tuning)));
    }
    Optional<NodePackages> packages = packages(bench, choice);
    if (packages.isPresent()) {
      for (NodePeers peer : NodePeers.values()) {
        if (choice.has(peer.label)) {
          PeerTables its = PeerTables.of(server, packages.get(), peer);
          tables.add(its);
          choice
              .tunings()
              .forEach(tuning -> sides.add(PeerSide.of(server, its, packages.get(), peer, tuning)));
        }
      }
    }
    for (JavaPeers peer : JavaPeers.values()) {
      if (choice.has(peer.label)) {
        PeerTables its = PeerTables.of(server, peer);
        tables.add(its);
        choice.tunings().forEach(tuning -> sides.add(PeerSide.of(server, its, peer, tuning)));
      }
    }
    return sides;
  }

  /** Returns the packages for Node.js if they are needed; reports why if they are missing. */
  private static Optional<NodePackages> packages(Bench bench, PeerChoice choice)
      throws IOException {
    if (Arrays.stream(NodePeers.values()).noneMatch(peer -> choice.has(peer.label))) {
      return Optional.empty();
    }
    try {
      bench.say("peers", "installing the packages for Node.js, if they are not there");
      return Optional.of(NodePackages.install());
    } catch (BenchException missing) {
      bench.report().note("graphile-worker and pg-boss were not measured. " + missing.getMessage());
      return Optional.empty();
    }
  }
}
