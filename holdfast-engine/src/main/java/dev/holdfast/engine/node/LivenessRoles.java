package dev.holdfast.engine.node;

import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.liveness.Fence;
import dev.holdfast.engine.liveness.Heart;
import dev.holdfast.engine.liveness.HeartbeatInterval;
import dev.holdfast.engine.liveness.IncarnationFactory;
import dev.holdfast.engine.liveness.LostClaimReturner;
import dev.holdfast.engine.liveness.Sweeper;
import dev.holdfast.engine.liveness.Watchdog;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.WhileEnabled;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.BeatReply;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.Recovery;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The roles that show that this node is alive, fence it when they cannot, and watch other nodes.
 */
final class LivenessRoles {
  /** The roles of every node. Its mode determines which of them are active. */
  private static final Set<String> ROLES = Set.of("worker", "scheduler", "sweeper");

  private static final Set<String> ROLES_ALONE =
      Set.of("worker", "scheduler", "sweeper", SingleNodeGuard.ROLE);

  private final NodeBuilder from;
  private final NodeComponents ground;
  private final LivenessSettings liveness;
  private final Waker claimers;
  final Fence fence;
  final Heart heart;
  final Driver.Driven beating;
  final Driver.Driven guarding;
  final Sweeper sweeper;
  final Driver.Driven sweeping;
  final Driver.Driven givingBack;

  /**
   * @param claimers woken when the modes, queue rules or task rules of the node have changed
   * @param onStartedOver called when a new incarnation has been registered
   */
  LivenessRoles(NodeBuilder from, NodeComponents ground, Waker claimers, Runnable onStartedOver) {
    this.from = from;
    this.ground = ground;
    this.liveness = ground.settings.liveness();
    this.claimers = claimers;
    this.fence =
        new Fence(
            ground.identity,
            ground.heldJobs,
            ground.meters,
            ground.events,
            ground.ticker,
            liveness.margin());
    this.sweeper = sweeper();
    this.sweeping = ground.drive(ground.alone.checkedBy(new WhileEnabled(sweeper, ground.modes)));
    LostClaimReturner strays =
        new LostClaimReturner(
            new LostClaimReturner.Parts(
                ground.store.claims(),
                ground.store.nodes(),
                ground.identity,
                ground.calls,
                ground.heldJobs,
                liveness.compareEvery()));
    this.givingBack = ground.drive(strays);
    this.heart =
        heart(
            strays,
            () -> {
              ground.alone.startedOver();
              ground.events.nodeJoined(ground.identity.incarnation());
              sweeper.sweepNow(); // Recovers what the old incarnation held.
              onStartedOver.run();
            });
    this.beating = ground.drive(heart);
    Watchdog watchdog =
        new Watchdog(ground.identity, fence, liveness.timeouts().running().dividedBy(10));
    watchdog.wakes(beating);
    this.guarding = ground.drive(watchdog);
  }

  /** Returns the threads that stop last: the node sends heartbeats until the end. */
  List<Driver.Driven> last() {
    return List.of(beating, guarding);
  }

  private Heart heart(LostClaimReturner strays, Runnable onStartedOver) {
    return new Heart(
        new Heart.Parts(
            ground.store.nodes(),
            strays,
            new IncarnationFactory(
                ground.identity,
                ground.environment.ids(),
                ground.ticker,
                liveness.allowed(),
                ground.alone::isUnseated,
                this::card,
                ground.modes::modes),
            fence,
            ground.calls,
            ground.heldJobs,
            pace(),
            ground.lost::report,
            this::hearing,
            onStartedOver));
  }

  /** Returns what processes the reply to a heartbeat that is about to be sent. */
  private Consumer<BeatReply> hearing() {
    int ownChanges = ground.modes.ownChanges();
    return reply -> {
      boolean queuesChanged = ground.rules.update(reply.rules());
      boolean tasksChanged = ground.taskRules.update(reply.tasks(), ground.ticker.now());
      if (ground.modes.hear(reply.modes(), ownChanges) || queuesChanged || tasksChanged) {
        claimers.wake();
      }
    };
  }

  private HeartbeatInterval pace() {
    return liveness.singleNode()
        ? HeartbeatInterval.alone(liveness.keepHeartbeats())
        : HeartbeatInterval.of(
            liveness.heartbeat(),
            liveness.timeouts().shorter(),
            ground.settings.maxConcurrent(),
            liveness.keepHeartbeats());
  }

  private Sweeper sweeper() {
    return new Sweeper(
        new Sweeper.Parts(
            ground.store.nodes(),
            ground.store.recovery(),
            new Sweeper.Policies(
                ground.tasks, ground.store.queries(), from.codec, liveness.awaitRecoveryPolicy()),
            ground.bus,
            ground.meters,
            ground.spans,
            ground.events,
            ground.endings,
            ground.ticker,
            ground.environment.random(),
            ground.identity::incarnation,
            liveness.sweep(),
            new Recovery.Scope(
                liveness.recoverClaimed(),
                liveness.recoverRunning(),
                ground.settings.stacks().sweeps())));
  }

  /** Returns the registration of an incarnation of this node. */
  private NodeRegistration card(UUID incarnation) {
    NodeSettings settings = ground.settings;
    return new NodeRegistration(
        incarnation,
        settings.id(),
        settings.name(),
        NodeIdentity.hostName(),
        ProcessHandle.current().pid(),
        Version.current(),
        liveness.timeouts(),
        settings.queues().keySet(),
        ground.tasks.names(),
        settings.maxConcurrent(),
        settings.stacks().stack(),
        settings.stacks().serves(),
        liveness.singleNode() ? ROLES_ALONE : ROLES,
        advice());
  }

  /**
   * Returns the tasks this node has recovery policies for. A node that does not recover running
   * jobs is never asked about one.
   */
  private Advice advice() {
    return liveness.recoverRunning()
        ? new Advice(
            from.tasks.stream()
                .filter(task -> task.recovery().isPresent())
                .map(task -> task.type().name())
                .collect(Collectors.toSet()),
            ground.settings.stacks().sweeps())
        : Advice.NONE;
  }
}
