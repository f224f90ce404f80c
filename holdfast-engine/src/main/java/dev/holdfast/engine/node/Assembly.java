package dev.holdfast.engine.node;

import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver;
import java.util.ArrayList;
import java.util.List;

/** Puts the roles of a node together. */
final class Assembly {
  private final NodeBuilder from;
  private final NodeComponents ground;
  private final WorkingRoles work;
  private final UpkeepRoles upkeep;
  private final LivenessRoles life;

  Assembly(NodeBuilder from, NodeSettings settings) {
    this.from = from;
    this.ground = new NodeComponents(from, settings);
    this.work = new WorkingRoles(from, ground);
    this.upkeep = new UpkeepRoles(from, ground);
    this.life = new LivenessRoles(from, ground, work.claimers::expectWork, this::startedOver);
  }

  /** A new incarnation declares anew what the old one did, and claims in its own name. */
  private void startedOver() {
    ground.bus.publish(new Signal.NodeJoined());
    upkeep.declareAgain();
    work.claimers.expectWork();
  }

  HoldfastNode assemble() {
    Shutdown.Threads threads =
        new Shutdown.Threads(work.claiming, clocks(), work.completing, life.last());
    Shutdown shutdown = new Shutdown(ground, work, life, threads, ground.bus.listen(this::hear));
    return new HoldfastNode(ground, work, life, threads, client(), shutdown);
  }

  private List<Driver.Driven> clocks() {
    List<Driver.Driven> clocks = new ArrayList<>(work.watching);
    clocks.add(life.givingBack);
    clocks.addAll(upkeep.threads);
    clocks.add(life.sweeping);
    return clocks;
  }

  private HoldfastClient client() {
    return new HoldfastClient(
        ground.store,
        from.codec,
        ground.bus,
        from.client,
        ground.environment.ids(),
        JobOrigin.onNode(ground.settings.id(), ground.settings.stacks().stack(), ground.modes));
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
      case Signal.NodeDied died -> life.sweeper.sweepNow();
      case Signal.Scheduled scheduled -> upkeep.stager.expect(scheduled.in(), own);
      case Signal.QueueChanged changed -> life.beating.wake();
      case Signal.TaskChanged changed -> {
        // Where the change was made it is known already; elsewhere the beat brings it.
        work.claimers.expectWork();
        life.beating.wake();
      }
      case Signal.HeartbeatRequested call -> {
        if (call.incarnation().equals(ground.identity.incarnation())) {
          life.beating.wake();
        }
      }
      case Signal.ResultAwaited wish -> ground.awaited.add(wish.job());
      case Signal.JobEnded ended -> {}
      case Signal.SchedulesChanged changed -> upkeep.schedulesChanged();
      case Signal.SignalsMissed missed -> {
        work.claimers.expectWork();
        upkeep.lookAgain();
        life.beating.wake();
      }
    }
  }
}
