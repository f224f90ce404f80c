package dev.holdfast.bench.ha;

import dev.holdfast.bench.chaos.NodeLauncher;
import dev.holdfast.bench.chaos.NodeLauncher.Liveness;
import dev.holdfast.bench.chaos.StoreAccess;
import dev.holdfast.bench.chaos.Workload;
import dev.holdfast.bench.chaos.Workload.Verified;
import dev.holdfast.bench.ha.Failover.Return;
import dev.holdfast.bench.ha.Pooler.Mode;
import dev.holdfast.bench.harness.BenchException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Kills one primary after another under load, and checks what became of the load. */
final class HaRun {
  private static final String SCHEMA = "holdfast_ha";
  private static final int SECONDS_TO_END = 20;

  /** How far the standby is behind in a lossy failover. */
  private static final Duration LAG = Duration.ofSeconds(1);

  /** How long the load runs before each kill, and after the new primary accepts writes. */
  private static final Duration CALM = Duration.ofSeconds(3);

  private static final Duration AFTERMATH = Duration.ofSeconds(8);

  /**
   * The nodes. Those with the short timeout fence themselves during all but the shortest outages,
   * the other one during none.
   */
  private static final Map<String, Liveness> NODES =
      Map.of(
          "node-1", Liveness.DEFAULT,
          "node-2", Liveness.FAST_FAILOVER,
          "node-3", Liveness.FAST_FAILOVER);

  private final FailoverCluster cluster;
  private final Mode mode;
  private final Path folder;
  private final Consumer<String> say;
  private final Map<String, Process> nodes = new LinkedHashMap<>();

  /**
   * The outcome of a run.
   *
   * @param restarts nodes whose process has ended
   * @param outages how long no server accepted writes, for each failover
   * @param returned the longest times until the service was back
   */
  record Outcome(Verified verified, int restarts, List<Duration> outages, Return returned) {
    boolean clean() {
      return verified.findings().none() && restarts == 0;
    }

    /** Returns a summary in one line. */
    @Override
    public String toString() {
      return "%d jobs, %d runs, %d failovers, back after %.1f s (enqueue), %.1f s (jobs), %.1f s (all nodes), %s"
          .formatted(
              verified.acknowledged().size(),
              verified.runs(),
              outages.size(),
              returned.enqueue().toMillis() / 1e3,
              returned.job().toMillis() / 1e3,
              returned.allNodes().toMillis() / 1e3,
              clean() ? "no findings" : verified.findings().count() + " FINDINGS");
    }
  }

  /**
   * @param folder the folder for attempt logs and log files
   */
  HaRun(FailoverCluster cluster, Mode mode, Path folder, Consumer<String> say) {
    this.cluster = cluster;
    this.mode = mode;
    this.folder = folder;
    this.say = say;
  }

  /**
   * What happens in a run.
   *
   * @param waits how long the monitor waits until it promotes the standby, for each failover
   * @param lossy whether commits do not wait for the standby, which lacks the last of them in each
   *     failover: to see that the check notices the loss
   */
  record Plan(List<Duration> waits, boolean lossy) {}

  /** Runs the load and the failovers. */
  Outcome run(Plan plan) throws Exception {
    String database = "ha_" + mode.text();
    cluster.awaitSynchronous();
    cluster.execute(cluster.primary(), Machine.USER, "create database " + database);
    cluster.execute(cluster.primary(), database, WriteProbe.table());
    cluster.execute(
        cluster.primary(),
        database,
        "alter database %s set synchronous_commit = %s"
            .formatted(database, plan.lossy ? "local" : "on"));
    StoreAccess direct = new StoreAccess(cluster.direct(database), SCHEMA, false);
    Optional<Pooler> pooler = cluster.pooler(mode);
    try {
      StoreAccess access =
          pooler
              .map(one ->
                  new StoreAccess(FailoverCluster.through(one, mode, database), SCHEMA, true))
              .orElse(direct);
      return run(plan, database, access, direct, pooler);
    } finally {
      pooler.ifPresent(Pooler::close);
    }
  }

  private Outcome run(
      Plan plan, String database, StoreAccess access, StoreAccess direct, Optional<Pooler> pooler)
      throws Exception {
    NodeLauncher launcher = new NodeLauncher(access, folder);
    List<Failover> failovers = new ArrayList<>();
    int restarts;
    try (Workload load = new Workload(access, direct, 1, say)) {
      try {
        for (Map.Entry<String, Liveness> node : NODES.entrySet()) {
          nodes.put(node.getKey(), launcher.start(node.getKey(), node.getValue()));
        }
        load.awaitNodes(NODES.size());
        for (Duration wait : plan.waits) {
          failovers.add(failOver(wait, plan.lossy, database, pooler));
        }
        load.finish();
        restarts = (int) nodes.values().stream().filter(node -> !node.isAlive()).count();
      } finally {
        stopNodes();
      }
      List<Path> journals = NODES.keySet().stream().map(launcher::journal).toList();
      return outcome(load.verify(journals), restarts, failovers, journals);
    }
  }

  private Failover failOver(Duration wait, boolean lossy, String database, Optional<Pooler> pooler)
      throws Exception {
    cluster.awaitSynchronous();
    cluster.demoteAfter(wait);
    Thread.sleep(CALM);
    Machine primary = cluster.primary();
    Machine standby = cluster.standby();
    if (lossy) {
      cluster.replicate(standby, false);
      Thread.sleep(LAG);
    }
    long killed = System.nanoTime();
    primary.kill();
    if (lossy) {
      cluster.replicate(standby, true);
    }
    say.accept("killed %s".formatted(primary.name()));
    long accepted = WriteProbe.await(standby, database);
    if (pooler.isPresent()) {
      pooler.get().pointTo(standby);
    }
    say.accept(
        "%s accepts writes after %.1f s".formatted(standby.name(), (accepted - killed) / 1e9));
    Thread.sleep(AFTERMATH);
    long over = System.nanoTime();
    primary.start();
    return new Failover(killed, accepted, over);
  }

  private static Outcome outcome(
      Verified verified, int restarts, List<Failover> failovers, List<Path> journals) {
    List<String> names =
        journals.stream().map(journal -> String.valueOf(journal.getFileName())).toList();
    return new Outcome(
        verified,
        restarts,
        failovers.stream().map(Failover::outage).toList(),
        failovers.stream()
            .map(one -> one.returned(verified.acknowledged(), verified.effects(), names))
            .reduce(Return::longer)
            .orElseThrow(() -> new BenchException("0 failovers are not valid: use at least 1.")));
  }

  private void stopNodes() throws IOException, InterruptedException {
    for (Process node : nodes.values()) {
      node.getOutputStream().close();
    }
    for (Process node : nodes.values()) {
      if (!node.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        node.destroyForcibly();
      }
    }
  }
}
