package dev.holdfast.tck.simulation;

import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.tck.simulation.Simulation.Focus;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** The major faults of a simulation, planned before it starts. */
final class Faults {
  private static final long SECOND = 1_000_000_000L;
  private static final long LONGEST = 10 * SECOND;

  /** What can happen to a cluster. */
  private enum Kind {
    CRASH,
    PAUSE,
    SUSPENSION,
    PARTITION,
    OUTAGE,
    READ_ONLY,
    SLOW_STORE,
    DATABASE_CLOCK,
    WALL_CLOCK,
    DISMISSAL
  }

  private final Timeline timeline;
  private final FaultModel weather;
  private final NodeStore nodes;
  private final Trace journal;
  private final SplittableRandom random;

  Faults(
      Timeline timeline,
      FaultModel weather,
      NodeStore nodes,
      Trace journal,
      SplittableRandom random) {
    this.timeline = timeline;
    this.weather = weather;
    this.nodes = nodes;
    this.journal = journal;
    this.random = random;
  }

  /**
   * Plan some before it calms down. The list of hosts changes as they are replaced.
   *
   * @param focus what goes wrong
   */
  void plan(long calmAt, List<Host> hosts, Focus focus) {
    boolean everything = focus == Focus.EVERYTHING;
    int count = everything ? random.nextInt(7) : 6;
    for (int i = 0; i < count; i++) {
      Kind kind =
          switch (focus) {
            case EVERYTHING -> Kind.values()[random.nextInt(Kind.values().length)];
            case SILENCE -> Kind.PARTITION;
            case SUSPENSION -> Kind.SUSPENSION;
          };
      int victim = random.nextInt(hosts.size());
      long lasts = random.nextLong(everything ? SECOND / 10 : LONGEST / 2, LONGEST);
      timeline.at(random.nextLong(calmAt), () -> strike(kind, hosts.get(victim), lasts));
    }
  }

  private void strike(Kind kind, Host host, long lasts) {
    if (host.isCrashed()) {
      return;
    }
    journal.note(host.name(), "suffers " + kind);
    switch (kind) {
      case CRASH -> host.crash();
      case PAUSE -> host.pause(lasts);
      case SUSPENSION -> host.suspend(lasts);
      case PARTITION -> host.cutOff(lasts);
      case OUTAGE -> weather.storeGoesAway(lasts);
      case READ_ONLY -> weather.storeBecomesReadOnly(lasts);
      case SLOW_STORE -> weather.storeSlowsDown(lasts, random.nextLong(SECOND / 20, 2 * SECOND));
      case DATABASE_CLOCK -> weather.setDatabaseClock(jump());
      case WALL_CLOCK -> host.setWallClock(jump());
      case DISMISSAL -> dismiss(host.name());
    }
  }

  /** Somebody takes a node's word for nothing any more. */
  private void dismiss(String name) {
    for (NodeSnapshot node : nodes.list()) {
      if (node.alive() && node.registration().id().equals(name)) {
        nodes.requestFence(node.registration().incarnation());
      }
    }
  }

  private Duration jump() {
    return Duration.ofMillis(random.nextLong(-8_000, 40_000));
  }
}
