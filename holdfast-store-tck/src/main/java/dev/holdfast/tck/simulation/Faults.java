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

  /** The kinds of major faults. */
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
    FENCING
  }

  private final Timeline timeline;
  private final FaultModel faultModel;
  private final NodeStore nodes;
  private final Trace trace;
  private final SplittableRandom random;

  Faults(
      Timeline timeline,
      FaultModel faultModel,
      NodeStore nodes,
      Trace trace,
      SplittableRandom random) {
    this.timeline = timeline;
    this.faultModel = faultModel;
    this.nodes = nodes;
    this.trace = trace;
    this.random = random;
  }

  /**
   * Plans faults before {@code calmAt}. The list of hosts changes as hosts are replaced.
   *
   * @param focus the kind of faults
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
      int affected = random.nextInt(hosts.size());
      long lasts = random.nextLong(everything ? SECOND / 10 : LONGEST / 2, LONGEST);
      timeline.at(random.nextLong(calmAt), () -> strike(kind, hosts.get(affected), lasts));
    }
  }

  private void strike(Kind kind, Host host, long lasts) {
    if (host.isCrashed()) {
      return;
    }
    trace.note(host.name(), "suffers " + kind);
    switch (kind) {
      case CRASH -> host.crash();
      case PAUSE -> host.pause(lasts);
      case SUSPENSION -> host.suspend(lasts);
      case PARTITION -> host.cutOff(lasts);
      case OUTAGE -> faultModel.storeGoesAway(lasts);
      case READ_ONLY -> faultModel.storeBecomesReadOnly(lasts);
      case SLOW_STORE -> faultModel.storeSlowsDown(lasts, random.nextLong(SECOND / 20, 2 * SECOND));
      case DATABASE_CLOCK -> faultModel.setDatabaseClock(jump());
      case WALL_CLOCK -> host.setWallClock(jump());
      case FENCING -> fence(host.name());
    }
  }

  /** Fences a node as an operator does. */
  private void fence(String name) {
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
