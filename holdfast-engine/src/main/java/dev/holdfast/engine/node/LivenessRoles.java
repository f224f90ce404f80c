package dev.holdfast.engine.node;

import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.liveness.AwaitedPolicies;
import dev.holdfast.engine.liveness.ClaimReconciler;
import dev.holdfast.engine.liveness.Fence;
import dev.holdfast.engine.liveness.Heart;
import dev.holdfast.engine.liveness.HeartbeatInterval;
import dev.holdfast.engine.liveness.IncarnationFactory;
import dev.holdfast.engine.liveness.LostClaimReturner;
import dev.holdfast.engine.liveness.OrphanDecider;
import dev.holdfast.engine.liveness.Recoverer;
import dev.holdfast.engine.liveness.Sweeper;
import dev.holdfast.engine.liveness.Watchdog;
import dev.holdfast.engine.liveness.WatchedNodes;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.WhileEnabled;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.Recovery;
import java.util.List;
import java.util.Optional;
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

  private final NodeDraft from;
  private final NodeComponents components;
  private final LivenessSettings liveness;
  private final WorkingRoles work;
  final Fence fence;
  final Heart heart;
  final Driver.Driven<Heart> beating;
  final Driver.Driven<Watchdog> guarding;
  final Sweeper sweeper;
  final Driver.Driven<?> sweeping;
  final Driver.Driven<LostClaimReturner> givingBack;

  /**
   * @param onStartedOver called when a new incarnation has been registered
   */
  LivenessRoles(
      NodeDraft from, NodeComponents components, WorkingRoles work, Runnable onStartedOver) {
    this.from = from;
    this.components = components;
    this.liveness = components.settings.liveness();
    this.work = work;
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
            components.singleNodeGuard.checkedBy(
                new WhileEnabled<>(sweeper(waker), components.modes)));
    this.sweeping = sweeping;
    this.sweeper = sweeping.role().role().role();
    this.givingBack =
        components.drive(waker ->
            new LostClaimReturner(
                components.store.claims(),
                components.store.nodes(),
                components.claims,
                liveness.compareEvery(),
                waker));
    this.beating = components.drive(waker -> heart(onStartedOver));
    this.heart = beating.role();
    this.guarding =
        components.drive(waker ->
            new Watchdog(
                components.identity, fence, liveness.timeouts().running().dividedBy(10), beating));
  }

  /** Makes the process wait for this node before it registers again after it was fenced. */
  Runnable join(NodeCore core) {
    return core.add(
        new NodeCore.Part() {
          @Override
          public boolean isSettled() {
            return components.identity.tenure().hasEnded()
                && fence.isSettled(components.ticker.now());
          }

          @Override
          public void look() {
            guarding.wake();
          }
        });
  }

  /** Returns the threads that stop last: the node sends heartbeats until the end. */
  List<Driver.Driven<?>> last() {
    return List.of(beating, guarding);
  }

  private Heart heart(Runnable onStartedOver) {
    return new Heart(
        components.store.nodes(),
        new IncarnationFactory(
            components.identity,
            components.environment.ids(),
            components.ticker,
            liveness.allowed(),
            from.core == null ? components.singleNodeGuard::isUnseated : from.core::isOver,
            this::registration,
            components.modes::modes,
            () -> Optional.ofNullable(from.core).map(NodeCore::tenure)),
        fence,
        new ClaimReconciler(components.claims, givingBack.role()),
        interval(),
        components.lost::report,
        new Heart.Listener() {
          @Override
          public Consumer<HeartbeatReply> beforeHeartbeat() {
            int ownChanges = components.modes.ownChanges();
            return reply -> apply(reply, ownChanges);
          }

          @Override
          public void startedOver() {
            components.singleNodeGuard.startedOver();
            components.events.nodeJoined(components.identity.incarnation());
            sweeper.sweepNow(); // Recovers what the old incarnation held.
            onStartedOver.run();
          }
        });
  }

  /** Applies what the reply to a heartbeat says, and wakes the claimers if it has changed. */
  private void apply(HeartbeatReply reply, int ownChanges) {
    boolean queuesChanged = components.rules.update(reply.rules());
    boolean tasksChanged = components.taskRules.update(reply.tasks(), components.ticker.now());
    if (components.modes.hear(reply.modes(), ownChanges) || queuesChanged || tasksChanged) {
      work.claimers.expectWork();
    }
  }

  private HeartbeatInterval interval() {
    return liveness.singleNode()
        ? HeartbeatInterval.alone(liveness.keepHeartbeats())
        : HeartbeatInterval.of(
            liveness.heartbeat(),
            liveness.timeouts().shorter(),
            components.settings.maxConcurrent(),
            liveness.keepHeartbeats());
  }

  private Sweeper sweeper(Waker waker) {
    OrphanDecider decider =
        new OrphanDecider(
            components.tasks,
            components.store.queries(),
            from.codec,
            new AwaitedPolicies(
                components.store.nodes(), components.ticker, liveness.awaitRecoveryPolicy()));
    Recoverer recoverer =
        new Recoverer(
            components.store.recovery(),
            new Recovery.Scope(
                liveness.recoverClaimed(),
                liveness.recoverRunning(),
                components.settings.stacks().sweeps()),
            decider,
            components.bus,
            work.confirmed,
            components.telemetry);
    return new Sweeper(
        new WatchedNodes(
            components.store.nodes(),
            components.identity::incarnation,
            components.bus,
            components.telemetry),
        liveness.sweep(),
        recoverer,
        components.telemetry,
        components.environment,
        waker);
  }

  /** Returns the registration of an incarnation of this node. */
  private NodeRegistration registration(UUID incarnation) {
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
            from.declared.tasks.stream()
                .filter(task -> task.recovery().isPresent())
                .map(task -> task.type().name())
                .collect(Collectors.toSet()),
            components.settings.stacks().sweeps())
        : Advice.NONE;
  }
}
