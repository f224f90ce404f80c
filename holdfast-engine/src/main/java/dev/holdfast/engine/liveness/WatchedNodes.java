package dev.holdfast.engine.liveness;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.liveness.Recoverer.Lost;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.NodeStore.Look;
import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.engine.store.Recovery.Holder;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes that a sweeper watches: reads their heartbeats, and marks silent ones dead. */
public final class WatchedNodes {
  private static final Logger log = LoggerFactory.getLogger(WatchedNodes.class);

  /** How many nodes watch each node: more than are likely to die with it. */
  private static final int REACH = 5;

  private final NodeStore nodes;
  private final Supplier<UUID> self;
  private final SignalBus bus;
  private final Telemetry telemetry;

  /**
   * @param self the incarnation that watches
   */
  public WatchedNodes(NodeStore nodes, Supplier<UUID> self, SignalBus bus, Telemetry telemetry) {
    this.nodes = nodes;
    this.self = self;
    this.bus = bus;
    this.telemetry = telemetry;
  }

  /**
   * Reads the heartbeats of the watched nodes.
   *
   * @param withDead whether to look for all dead nodes that still hold jobs, too
   */
  Look look(boolean withDead) {
    return nodes.look(self.get(), REACH, withDead);
  }

  /** Returns what can be recovered from a node that has been silent for the given time. */
  Optional<Lost> judge(Pulse pulse, Duration silence) {
    UUID incarnation = pulse.incarnation();
    Loss loss = new Loss(pulse.id(), Death.SILENCE, silence);
    if (silence.compareTo(pulse.timeouts().running()) >= 0) {
      if (!nodes.markDead(incarnation, pulse.beat(), silence)) {
        return Optional.empty(); // It has sent a heartbeat since, or another sweeper was faster.
      }
      announceDeath(pulse, silence);
      return Optional.of(new Lost(Holder.dead(incarnation), loss));
    }
    return silence.compareTo(pulse.timeouts().claimed()) >= 0
        ? Optional.of(new Lost(Holder.silent(incarnation, pulse.beat()), loss))
        : Optional.empty();
  }

  private void announceDeath(Pulse pulse, Duration silence) {
    bus.publish(new Signal.NodeDied());
    telemetry.meters().nodeDied();
    telemetry.events().nodeDied(pulse.id(), pulse.incarnation());
    bus.publish(new Signal.SchedulesChanged()); // Its schedules may be undeclared now.
    log.warn(
        "Node {} ({}) is dead: it has been silent for {}, longer than its timeout of {}; its"
            + " jobs can be recovered now",
        pulse.id(),
        pulse.incarnation(),
        Times.describe(silence),
        Times.describe(pulse.timeouts().running()));
  }
}
