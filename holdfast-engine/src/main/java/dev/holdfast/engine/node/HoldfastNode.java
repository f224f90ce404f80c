package dev.holdfast.engine.node;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.api.lease.Locks;
import dev.holdfast.api.lease.StartupCoordinator;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.rule.ModeChange;
import dev.holdfast.engine.rule.WrittenModes;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.NodeStatus;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node: it claims jobs of the tasks it has handlers for, runs them, and writes down how
 * they ended.
 *
 * <pre>{@code
 * try (HoldfastNode node = HoldfastNode.on(store).handle(WELCOME, (welcome, context) -> send(welcome)).start()) {
 *   node.client().enqueue(WELCOME, new Welcome("ada@example.org"));
 * }
 * }</pre>
 */
public final class HoldfastNode implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HoldfastNode.class);

  private final NodeComponents ground;
  private final WorkingRoles work;
  private final LivenessRoles life;
  private final Shutdown.Threads threads;
  private final Holdfast client;
  private final Shutdown shutdown;
  private volatile boolean running;

  HoldfastNode(
      NodeComponents ground,
      WorkingRoles work,
      LivenessRoles life,
      Shutdown.Threads threads,
      Holdfast client,
      Shutdown shutdown) {
    this.ground = ground;
    this.work = work;
    this.life = life;
    this.threads = threads;
    this.client = client;
    this.shutdown = shutdown;
  }

  /** Begin to build a node on a store. */
  public static NodeBuilder on(Store store) {
    return new NodeBuilder(store);
  }

  /**
   * Start, or leave nothing behind. From then on the node keeps the process alive until it has
   * stopped.
   *
   * @param declare writes what the node declares, once it is in the books
   */
  void start(Runnable declare) {
    try (var speaking = ground.logs.borrow()) {
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
    ground.alone.join(this::retire);
    warnOfNamesakes();
    warnOfNoRecovery();
    life.heart.register();
    ground.alone.confirm();
  }

  private void work() {
    running = true;
    ground.events.start();
    ground.events.nodeJoined(incarnation());
    ground.bus.publish(new Signal.NodeJoined());
    threads.completer().start();
    threads.heart().forEach(Driver.Driven::start);
    threads.clocks().forEach(Driver.Driven::start);
    threads.claiming().forEach(Driver.Driven::start);
    ground.environment.driver().keepAlive(shutdown.stopped());
    log.info(
        "Node {} serves {} with up to {} jobs at once",
        id(),
        ground.settings.queues().keySet(),
        ground.settings.maxConcurrent());
  }

  /** Stop at once: others may run what this node holds. */
  private void retire(String why) {
    try (var speaking = ground.logs.borrow()) {
      life.fence.shutForGood(why);
    }
    close();
  }

  private void warnOfNamesakes() {
    for (NodeStatus other : ground.store.nodes().list()) {
      if (other.alive()
          && other.registration().id().equals(id())
          && other.sinceLastHeartbeat().compareTo(other.registration().timeouts().running()) < 0) {
        log.warn(
            "Another node is called {} and seems to live: {} on host {} with process id {}, silent"
                + " for {} ms, beside this one, {} on host {} with process id {}. If that one was"
                + " killed this is no harm; otherwise give each its own id",
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
    LivenessSettings liveness = ground.settings.liveness();
    if (!liveness.recoverClaimed() || !liveness.recoverRunning()) {
      log.warn(
          "Node {} does not take back {} jobs of nodes that die; where no other node does, they"
              + " stay held until somebody releases them",
          id(),
          liveness.recoverClaimed() ? "running" : liveness.recoverRunning() ? "claimed" : "any");
    }
  }

  /**
   * Whether this node takes part: started, not told to stop, not fenced, able to write how jobs
   * end, and not without most of its slots because of handlers that hang. For a readiness probe; it
   * turns false the moment {@link #close} is called, and when jobs have ended and none of that
   * could be written for a minute.
   */
  public boolean isReady() {
    return running
        && !shutdown.isAsked()
        && !ground.identity.tenure().isOver()
        && !work.completer.isStalled()
        && ground.lost.count() <= ground.settings.hung().mostLost() * ground.settings.slots();
  }

  /** What it does with work at present, in general and by exception. */
  public Modes modes() {
    return ground.modes.modes();
  }

  /** Do this with work from now on. */
  public void mode(NodeMode mode) {
    change(ModeChange.node(mode));
  }

  /** Do this with work of tasks whose names match a pattern. */
  public void mode(String pattern, NodeMode mode) {
    change(ModeChange.except(pattern, mode));
  }

  /** Make no exception for this pattern any more. */
  public void clearMode(String pattern) {
    change(ModeChange.clear(pattern));
  }

  /** Make no exceptions any more. */
  public void clearModes() {
    change(ModeChange.clearAll());
  }

  private synchronized void change(UnaryOperator<Modes> change) {
    // Written first: the next beat would otherwise bring the old ones back.
    Modes modes =
        WrittenModes.change(ground.store.nodes(), incarnation(), change)
            .orElseThrow(() ->
                new StoreException(
                    StoreException.Outcome.RETRYABLE,
                    "The mode of node %s was not changed, since it is starting over or has stopped: ask again."
                        .formatted(id()),
                    null));
    ground.modes.choose(modes);
    work.claimers.expectWork();
  }

  /** A client that wakes this node without a detour through the database. */
  public Holdfast client() {
    return client;
  }

  /** Leases held in the name of this node. What is still held when the node is closed is lost. */
  public Leases leases() {
    return ground.leases;
  }

  /** Named locks, held in the name of this node. */
  public Locks locks() {
    return ground.leases.locks();
  }

  /** Work to be done by one node when they start. */
  public StartupCoordinator startup() {
    return ground.leases.startup();
  }

  /** What people call this node. */
  public String id() {
    return ground.settings.id();
  }

  /** The incarnation that its claims belong to. */
  public UUID incarnation() {
    return ground.identity.incarnation();
  }

  /** How many jobs it holds. */
  public int held() {
    return ground.heldJobs.size();
  }

  /**
   * Stops the node: claims no more, hands back jobs that have not started, lets running jobs finish
   * within the shutdown grace, then interrupts them and hands back those that stop. A job that
   * ignores its interrupt stays claimed: the node sends no more heartbeats then, instead of
   * deregistering, so that other nodes start the job only after its timeout.
   *
   * <p>Takes at most the shutdown grace and 4 seconds, even while the database does not respond.
   * While a stop is in progress, by a signal for example, it waits until that has ended. Throws
   * nothing: what fails is logged, and the rest is stopped all the same.
   */
  @Override
  public void close() {
    shutdown.run();
    StopSignals.forget(this);
  }

  /** Stops the node without grace: like {@link #close}, but running jobs are interrupted now. */
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
