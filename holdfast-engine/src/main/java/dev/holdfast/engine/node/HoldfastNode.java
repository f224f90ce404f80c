package dev.holdfast.engine.node;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.api.lease.Locks;
import dev.holdfast.api.lease.StartupCoordinator;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.rule.ModeChange;
import dev.holdfast.engine.rule.WrittenModes;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node: it claims jobs of the tasks it has handlers for, runs them, and records how they
 * ended.
 *
 * <pre>{@code
 * record Welcome(String email) {}
 *
 * static final TaskType<Welcome, Void> WELCOME = TaskType.of("email::welcome", Welcome.class);
 *
 * static void run(Store store) throws InterruptedException {
 *   try (HoldfastNode node =
 *       HoldfastNode.on(store)
 *           .handle(WELCOME, (welcome, context) -> System.out.println("Hello " + welcome.email()))
 *           .stopOnSignals()
 *           .start()) {
 *     node.client().enqueue(WELCOME, new Welcome("ada@example.org"));
 *     node.awaitStopped();
 *   }
 * }
 * }</pre>
 */
public final class HoldfastNode implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HoldfastNode.class);

  private final NodeComponents components;
  private final WorkingRoles work;
  private final LivenessRoles life;
  private final Shutdown.Threads threads;
  private final Holdfast client;
  private final Shutdown shutdown;
  private volatile boolean running;

  HoldfastNode(
      NodeComponents components,
      WorkingRoles work,
      LivenessRoles life,
      Shutdown.Threads threads,
      Holdfast client,
      Shutdown shutdown) {
    this.components = components;
    this.work = work;
    this.life = life;
    this.threads = threads;
    this.client = client;
    this.shutdown = shutdown;
  }

  /** Returns a builder for a node on this store. */
  public static NodeBuilder on(Store store) {
    return new NodeBuilder(store);
  }

  /**
   * Starts the node, or undoes everything if that fails. Once started, the node keeps the process
   * alive until it has stopped.
   *
   * @param declare writes what the node declares, once the node is registered
   */
  void start(Runnable declare) {
    try (var speaking = components.logs.borrow()) {
      join();
      declare.run();
      work();
    } catch (RuntimeException | Error failure) {
      if (running) {
        stopNow();
      } else {
        shutdown.undoStart();
      }
      throw failure;
    }
  }

  private void join() {
    if (components.isPart) { // Its process has checked for others.
      life.heart.register();
      return;
    }
    components.singleNodeGuard.join(this::retire);
    warnOfNamesakes();
    warnOfNoRecovery();
    life.heart.register();
    components.singleNodeGuard.confirm();
  }

  private void work() {
    running = true;
    components.events.start();
    components.events.nodeJoined(incarnation());
    components.bus.publish(new Signal.NodeJoined());
    threads.completers().forEach(Driver.Driven::start);
    threads.heart().forEach(Driver.Driven::start);
    // Before upkeep, whose first statements would delay the first jobs.
    threads.claiming().forEach(Driver.Driven::start);
    threads.clocks().forEach(Driver.Driven::start);
    components.environment.driver().keepAlive(shutdown.stopped());
    log.info(
        "Node {} has started: it serves {} and runs up to {} jobs at the same time",
        id(),
        components.settings.queues().keySet(),
        components.settings.maxConcurrent());
  }

  /** Stops the node immediately, because other nodes may run the jobs it holds. */
  private void retire(String why) {
    try (var speaking = components.logs.borrow()) {
      life.fence.shutForGood(why);
    }
    close();
  }

  private void warnOfNamesakes() {
    for (NodeSnapshot other : components.store.nodes().list()) {
      if (other.alive()
          && other.registration().id().equals(id())
          && other.sinceLastHeartbeat().compareTo(other.registration().timeouts().running()) < 0) {
        log.warn(
            "Another node has the id {} and seems to be alive: {} on host {} with process id {},"
                + " last heartbeat {} ms ago. This node is {} on host {} with process id {}. If the"
                + " other one was killed, ignore this; otherwise give each node its own id",
            id(),
            other.registration().incarnation(),
            other.registration().host(),
            other.registration().pid(),
            other.sinceLastHeartbeat().toMillis(),
            incarnation(),
            NodeIdentity.hostName(),
            ProcessHandle.current().pid());
      }
    }
  }

  private void warnOfNoRecovery() {
    LivenessSettings liveness = components.settings.liveness();
    if (!liveness.recoverClaimed() || !liveness.recoverRunning()) {
      log.warn(
          "Node {} does not recover {} jobs of dead nodes; unless another node does, these jobs"
              + " stay claimed until they are released by hand",
          id(),
          liveness.recoverClaimed() ? "running" : liveness.recoverRunning() ? "claimed" : "any");
    }
  }

  /**
   * Returns whether the node is working: it has started, was not told to stop, is not fenced, can
   * record how jobs end, and has not lost too many slots to hung handlers (see {@link
   * NodeBuilder#maxLostShare}). Use it for a readiness probe. It returns false from the moment
   * {@link #close} is called, and while jobs have ended and none of their outcomes could be written
   * for a minute.
   */
  public boolean isReady() {
    return running
        && !shutdown.isAsked()
        && !components.identity.tenure().isOver()
        && !work.completers.isStalled()
        && components.lost.count()
            <= components.settings.hung().mostLost() * components.settings.slots();
  }

  /** Returns the current mode of the node and its overrides for task patterns. */
  public Modes modes() {
    return components.modes.modes();
  }

  /**
   * Changes the mode of the node. The mode is stored and remains until it is changed again or the
   * node stops.
   */
  public void mode(NodeMode mode) {
    change(ModeChange.node(mode));
  }

  /**
   * Overrides the mode for tasks that match a pattern. If several overrides match a task, the
   * longest pattern applies.
   */
  public void mode(String pattern, NodeMode mode) {
    change(ModeChange.except(pattern, mode));
  }

  /** Removes the mode override for this pattern. */
  public void clearMode(String pattern) {
    change(ModeChange.clear(pattern));
  }

  /** Removes all mode overrides. */
  public void clearModes() {
    change(ModeChange.clearAll());
  }

  private synchronized void change(UnaryOperator<Modes> change) {
    // Written first: the next heartbeat would otherwise bring the old modes back.
    Modes modes =
        WrittenModes.change(components.store.nodes(), incarnation(), change)
            .orElseThrow(() ->
                new StoreException(
                    StoreException.Outcome.RETRYABLE,
                    "The mode of node %s was not changed, because the node is registering a new incarnation or has stopped: try again."
                        .formatted(id()),
                    null));
    components.modes.choose(modes);
    work.claimers.expectWork();
  }

  /**
   * Looks for dead nodes immediately, instead of at the next sweep, and recovers their jobs. It
   * returns at once; a role of the node does the work. A silent node is still declared dead only
   * after its timeout: to declare it dead earlier, call {@link dev.holdfast.api.Nodes#recover}. A
   * node in the mode {@link NodeMode#DISABLED} does not sweep.
   */
  public void sweepNow() {
    life.sweeper.sweepNow();
  }

  /** Returns a client that wakes this node directly, without a round trip through the database. */
  public Holdfast client() {
    return client;
  }

  /**
   * Returns the leases of this node. Leases that are still held when the node is closed are lost.
   */
  public Leases leases() {
    return components.leases;
  }

  /** Returns named locks that this node holds. */
  public Locks locks() {
    return components.leases.locks();
  }

  /** Returns the coordinator for work that only one node does when several start. */
  public StartupCoordinator startup() {
    return components.leases.startup();
  }

  /** Returns the id of this node. */
  public String id() {
    return components.settings.id();
  }

  /**
   * Returns the incarnation that the claims of this node belong to. It changes when the node has
   * been fenced and registers again.
   */
  public UUID incarnation() {
    return components.identity.incarnation();
  }

  /**
   * Returns how many jobs the node holds: claimed, running, or ended with an outcome that is not
   * stored yet.
   */
  public int held() {
    return components.heldJobs.size();
  }

  /** Returns how busy the node is now. Reads memory only. */
  public NodeLoad load() {
    int active = 0;
    for (HeldJob job : components.heldJobs.all()) {
      active += job.isRunning() ? 1 : 0;
    }
    return new NodeLoad(active, components.settings.slots(), components.identity.tenure().left());
  }

  /** Returns whether the node holds nothing, and no claim is under way or has an unknown result. */
  public boolean isIdle() {
    return held() == 0 && components.claims.calls().areSettled();
  }

  /** Returns whether the node has stored all workflows and schedules that it declares. */
  public boolean hasDeclared() {
    return components.declared.stream().allMatch(BooleanSupplier::getAsBoolean);
  }

  /** Returns whether the node leaves work to others, because it has no free slots for it. */
  public boolean isSaturated() {
    return work.claimers.all().stream().anyMatch(claimer -> claimer.lane().isHungry());
  }

  /**
   * Stops the node: it claims no more jobs, hands back jobs that have not started, lets running
   * jobs finish within the shutdown grace, then interrupts them and hands back those that stop. A
   * job that ignores its interrupt stays claimed: instead of deregistering, the node stops sending
   * heartbeats, so that other nodes start the job only after its timeout.
   *
   * <p>Takes at most the shutdown grace plus 4 seconds, even if the database does not respond. If a
   * stop is already in progress, for example because of a signal, this method waits for it. It
   * throws nothing: failures are logged, and the remaining steps are still done.
   */
  @Override
  public void close() {
    shutdown.run();
    StopSignals.forget(this);
  }

  /**
   * Stops the node without grace: like {@link #close}, but running jobs are interrupted
   * immediately.
   */
  public void stopNow() {
    shutdown.runNow();
    StopSignals.forget(this);
  }

  /** Waits until the node has stopped, because of {@link #close} or a signal. */
  public void awaitStopped() throws InterruptedException {
    shutdown.stopped().await();
  }

  /**
   * Waits until the node has stopped, or for the given time.
   *
   * @return whether it has stopped
   */
  public boolean awaitStopped(Duration atMost) throws InterruptedException {
    return shutdown.stopped().await(TimeUnit.NANOSECONDS.convert(atMost), TimeUnit.NANOSECONDS);
  }
}
