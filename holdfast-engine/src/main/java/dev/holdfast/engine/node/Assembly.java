package dev.holdfast.engine.node;

import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Wires the roles of a node. */
final class Assembly {
  private final NodeComponents components;
  private final WorkflowRoles workflows;
  private final WorkingRoles work;
  private final UpkeepRoles upkeep;
  private final LivenessRoles life;

  private final @Nullable NodeCore core;

  Assembly(NodeDraft from) {
    this.core = from.core;
    this.components = new NodeComponents(from, from.settings());
    this.workflows = new WorkflowRoles(from, components);
    this.work = new WorkingRoles(from, components, workflows);
    this.upkeep = new UpkeepRoles(from, components);
    this.life = new LivenessRoles(from, components, work, this::startedOver);
  }

  /** Lets a new incarnation declare the schedules of the old one, and claim jobs. */
  private void startedOver() {
    components.bus.publish(new Signal.NodeJoined());
    upkeep.declareAgain();
    work.claimers.expectWork();
  }

  HoldfastNode assemble() {
    Shutdown.Threads threads =
        new Shutdown.Threads(work.claiming, clocks(), work.completing, life.last());
    Shutdown shutdown =
        new Shutdown(components, work, life, threads, components.bus.listen(this::hear));
    HoldfastNode node =
        new HoldfastNode(components, work, life, threads, components.client, shutdown);
    if (core != null) {
      shutdown.last(life.join(core));
    }
    return node;
  }

  private List<Driver.Driven<?>> clocks() {
    List<Driver.Driven<?>> clocks = new ArrayList<>(work.watching);
    clocks.add(life.givingBack);
    clocks.addAll(upkeep.threads);
    clocks.addAll(workflows.threads);
    clocks.add(life.sweeping);
    return clocks;
  }

  private void hear(Signal signal, boolean own) {
    switch (signal) {
      case Signal.NewWork fresh -> {
        work.wakeups.hear(fresh, own);
        life.sweeper.expectWork();
      }
      case Signal.NodeJoined joined -> {
        if (!own) {
          life.sweeper.expectNode();
        }
      }
      case Signal.NodeDied died -> {
        life.sweeper.sweepNow();
        workflows.advancer.expectIn(
            Duration.ZERO); // It may have ended steps without announcing it.
      }
      case Signal.Scheduled scheduled -> upkeep.stager.expect(scheduled.in(), own);
      case Signal.RunsMarked marked -> workflows.advancer.expectIn(marked.in());
      case Signal.QueueChanged changed -> life.beating.wake();
      case Signal.TaskChanged changed -> {
        // The node that made the change knows it already; others learn it from a heartbeat.
        work.claimers.expectWork();
        life.beating.wake();
      }
      case Signal.HeartbeatRequested call -> {
        if (call.incarnation().equals(components.identity.incarnation())) {
          life.beating.wake();
        }
      }
      case Signal.ResultAwaited request -> components.awaited.add(request.job());
      case Signal.JobEnded ended -> {}
      case Signal.Watched watched -> {} // The bus has noted it.
      case Signal.Changed changed -> {}
      case Signal.SchedulesChanged changed -> upkeep.schedulesChanged();
      case Signal.InTenant other -> {} // TenantSignals unwraps them.
      case Signal.SignalsMissed missed -> {
        work.claimers.expectWork();
        upkeep.lookAgain();
        workflows.advancer.expectIn(Duration.ZERO);
        life.beating.wake();
      }
    }
  }
}
