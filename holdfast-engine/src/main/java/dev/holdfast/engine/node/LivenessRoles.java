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
  private final NodeComponents components;
  private final LivenessSettings liveness;
  private final Waker claimers;
  final Fence fence;
  final Heart heart;
  final Driver.Driven<Heart> beating;
  final Driver.Driven<Watchdog> guarding;
  final Sweeper sweeper;
  final Driver.Driven<?> sweeping;
  final Driver.Driven<LostClaimReturner> givingBack;

  /**
   * @param claimers woken when the modes, queue rules or task rules of the node have changed
   * @param onStartedOver called when a new incarnation has been registered
   */
  LivenessRoles(
      NodeBuilder from, NodeComponents components, Waker claimers, Runnable onStartedOver) {
    this.from = from;
    this.components = components;
    this.liveness = components.settings.liveness();
    this.claimers = claimers;
    this.fence =
        new Fence(
            components.identity,
            components.heldJobs,
            components.meters,
            components.events,
            components.ticker,
            liveness.margin());
    var sweeping =
        components.drive(waker ->
            components.alone.checkedBy(new WhileEnabled<>(sweeper(waker), components.modes)));
    this.sweeping = sweeping;
    this.sweeper = sweeping.role().role().role();
    this.givingBack =
        components.drive(waker ->
            new LostClaimReturner(
                new LostClaimReturner.Parts(
                    components.store.claims(),
                    components.store.nodes(),
                    components.identity,
                    components.calls,
                    components.heldJobs,
                    liveness.compareEvery()),
                waker));
    this.beating =
        components.drive(waker ->
            heart(
                givingBack.role(),
                () -> {
                  components.alone.startedOver();
                  components.events.nodeJoined(components.identity.incarnation());
                  sweeper.sweepNow(); // Recovers what the old incarnation held.
                  onStartedOver.run();
                }));
    this.heart = beating.role();
    this.guarding =
        components.drive(waker ->
            new Watchdog(
                components.identity, fence, liveness.timeouts().running().dividedBy(10), beating));
  }

  /** Returns the threads that stop last: the node sends heartbeats until the end. */
  List<Driver.Driven<?>> last() {
    return List.of(beating, guarding);
  }

  private Heart heart(LostClaimReturner strays, Runnable onStartedOver) {
    return new Heart(
        new Heart.Parts(
            components.store.nodes(),
            strays,
            new IncarnationFactory(
                components.identity,
                components.environment.ids(),
                components.ticker,
                liveness.allowed(),
                components.alone::isUnseated,
                this::card,
                components.modes::modes),
            fence,
            components.calls,
            components.heldJobs,
            pace(),
            components.lost::report,
            this::hearing,
            onStartedOver));
  }

  /** Returns what processes the reply to a heartbeat that is about to be sent. */
  private Consumer<BeatReply> hearing() {
    int ownChanges = components.modes.ownChanges();
    return reply -> {
      boolean queuesChanged = components.rules.update(reply.rules());
      boolean tasksChanged = components.taskRules.update(reply.tasks(), components.ticker.now());
      if (components.modes.hear(reply.modes(), ownChanges) || queuesChanged || tasksChanged) {
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
            components.settings.maxConcurrent(),
            liveness.keepHeartbeats());
  }

  private Sweeper sweeper(Waker waker) {
    return new Sweeper(
        new Sweeper.Parts(
            components.store.nodes(),
            components.store.recovery(),
            new Sweeper.Policies(
                components.tasks,
                components.store.queries(),
                from.codec,
                liveness.awaitRecoveryPolicy()),
            components.bus,
            components.meters,
            components.spans,
            components.events,
            components.endings,
            components.ticker,
            components.environment.random(),
            components.identity::incarnation,
            liveness.sweep(),
            new Recovery.Scope(
                liveness.recoverClaimed(),
                liveness.recoverRunning(),
                components.settings.stacks().sweeps())),
        waker);
  }

  /** Returns the registration of an incarnation of this node. */
  private NodeRegistration card(UUID incarnation) {
    NodeSettings settings = components.settings;
    return new NodeRegistration(
        incarnation,
        settings.id(),
        settings.name(),
        NodeIdentity.hostName(),
        ProcessHandle.current().pid(),
        Version.current(),
        liveness.timeouts(),
        settings.queues().keySet(),
        components.tasks.names(),
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
            components.settings.stacks().sweeps())
        : Advice.NONE;
  }
}
