package dev.holdfast.bench;

import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.node.NodePackages;
import dev.holdfast.bench.node.NodePeers;
import dev.holdfast.bench.peers.Tuning;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** A library with one set of settings, which runs jobs in new processes. */
final class PeerSide {
  private static final int HOLDFAST_JOBS = 200_000;
  private static final int MOST_WARM = 100_000;

  /** Few, because only the first is timed. */
  private static final int TO_START = 10;

  private final BenchServer server;
  private final PeerTables tables;
  private final Launch process;

  /** The name of the library in measures. */
  final String label;

  final Tuning tuning;

  /** How many jobs the library runs in a few seconds. */
  final int jobs;

  /** Starts a process that runs the given number of waiting jobs at once. */
  private interface Launch {
    Child start(int jobs) throws IOException;
  }

  /**
   * What one process measured.
   *
   * @param fresh the jobs per second of the first drain of the process
   * @param warm the jobs per second of the second
   */
  record Turn(double fresh, double warm) {}

  private PeerSide(
      BenchServer server,
      PeerTables tables,
      Launch process,
      String label,
      Tuning tuning,
      int jobs) {
    this.server = server;
    this.tables = tables;
    this.process = process;
    this.label = label;
    this.tuning = tuning;
    this.jobs = jobs;
  }

  static PeerSide ofHoldfast(BenchServer server, PeerTables tables, Tuning tuning) {
    Launch process = jobs -> java(server, PeersBench.HOLDFAST, tuning, tables.schema(), jobs);
    return new PeerSide(server, tables, process, PeersBench.HOLDFAST, tuning, HOLDFAST_JOBS);
  }

  static PeerSide of(BenchServer server, PeerTables tables, JavaPeers peer, Tuning tuning) {
    Launch process = jobs -> java(server, peer.name(), tuning, tables.schema(), jobs);
    return new PeerSide(server, tables, process, peer.label, tuning, peer.jobs(tuning));
  }

  static PeerSide of(
      BenchServer server, PeerTables tables, NodePackages packages, NodePeers peer, Tuning tuning) {
    Launch process =
        jobs ->
            packages.start(
                server, peer, "drain", tables.schema(), tuning.label(), Integer.toString(jobs));
    return new PeerSide(server, tables, process, peer.label, tuning, peer.jobs(tuning));
  }

  private static Child java(BenchServer server, String name, Tuning tuning, String schema, int jobs)
      throws IOException {
    List<String> line = new ArrayList<>(Child.java(PeerProcess.class));
    line.addAll(List.of(name, tuning.name(), schema, Integer.toString(jobs)));
    return Child.launch(line, server);
  }

  /** Runs this number of jobs twice in a new process. */
  Turn drain(int count) throws SQLException, IOException {
    fill(count);
    try (Child child = process.start(count)) {
      double fresh = rate(count, child.await(Child.DONE));
      int again = Math.min(count, MOST_WARM);
      fill(again);
      child.tell(Integer.toString(again));
      return new Turn(fresh, rate(again, child.await(Child.DONE)));
    }
  }

  /** Returns the milliseconds from the start of a process to the start of its first job. */
  double start() throws SQLException, IOException {
    int count = Math.min(jobs, TO_START);
    fill(count);
    long started = Micros.now();
    try (Child child = process.start(count)) {
      return (child.await(Child.DONE)[0] - started) / 1e3;
    }
  }

  private static double rate(int jobs, long[] firstAndLast) {
    return NoopJobs.rate(jobs, Duration.of(firstAndLast[1] - firstAndLast[0], ChronoUnit.MICROS));
  }

  /**
   * Fills the tables and refreshes the planner's statistics. Otherwise a table that was just empty
   * is planned as empty until the next autovacuum, and the result would depend on when that is.
   */
  private void fill(int count) throws SQLException, IOException {
    tables.fill(count);
    server.execute(
        """
        do $$ begin
          execute (select 'analyze ' || string_agg(format('%%I.%%I', schemaname, tablename), ', ')
                     from pg_tables where schemaname = '%s');
        end $$
        """
            .formatted(tables.schema()));
    server.settle();
  }

  @Override
  public String toString() {
    return label + "." + tuning.label();
  }
}
