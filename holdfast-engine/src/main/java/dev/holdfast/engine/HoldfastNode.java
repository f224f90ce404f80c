package dev.holdfast.engine;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.api.lease.Locks;
import dev.holdfast.api.lease.StartupCoordinator;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.mode.ModeChange;
import dev.holdfast.engine.mode.WrittenModes;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.StopReason;
import dev.holdfast.engine.run.TaskExecutor;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.wake.Signal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(5);

  /** The threads that drive the roles, by when they must stop. */
  record Threads(
      List<Driver.Driven> claiming,
      List<Driver.Driven> clocks,
      Driver.Driven completer,
      List<Driver.Driven> heart) {}

  private final Groundwork ground;
  private final WorkingRoles work;
  private final LivenessRoles life;
  private final Threads threads;
  private final Holdfast client;
  private final Runnable subscription;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean running;
  private volatile boolean hurried;

  /**
   * @param subscription ends that it hears of signals
   */
  HoldfastNode(
      Groundwork ground,
      WorkingRoles work,
      LivenessRoles life,
      Threads threads,
      Holdfast client,
      Runnable subscription) {
    this.ground = ground;
    this.work = work;
    this.life = life;
    this.threads = threads;
    this.client = client;
    this.subscription = subscription;
  }

  /** Begin to build a node on a store. */
  public static NodeBuilder on(Store store) {
    return new NodeBuilder(store);
  }

  /**
   * Start, or leave nothing behind.
   *
   * @param declare writes what the node declares, once it is in the books
   */
  void start(Runnable declare) {
    try (var speaking = ground.logs.borrow()) {
      join();
      declare.run();
      work();
    } catch (RuntimeException | Error failure) {
      close();
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
    threads.completer().start();
    threads.heart().forEach(Driver.Driven::start);
    threads.clocks().forEach(Driver.Driven::start);
    threads.claiming().forEach(Driver.Driven::start);
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
          && other.card().id().equals(id())
          && other.silence().compareTo(other.card().terms().running()) < 0) {
        log.warn(
            "Another node is called {} and seems to live: {} on host {} with process id {}, silent"
                + " for {} ms, beside this one, {} on host {} with process id {}. If that one was"
                + " killed this is no harm; otherwise give each its own id",
            id(),
            other.card().incarnation(),
            other.card().host(),
            other.card().pid(),
            other.silence().toMillis(),
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
   * Whether this node takes part: started, not told to stop, not fenced, and able to write how jobs
   * end. For a readiness probe; it turns false the moment {@link #close} is called, and when jobs
   * have ended and none of that could be written for a minute.
   */
  public boolean isReady() {
    return running
        && !closed.get()
        && !ground.identity.tenure().isOver()
        && !work.completer.isStalled();
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
    return ground.holdings.size();
  }

  /**
   * Stop: claim no more, give back what has not begun, let running jobs finish within the grace,
   * then interrupt them and give back those that stop. What ignores its interrupt stays held: the
   * node falls silent then instead of saying goodbye, so that others begin those jobs only after
   * its terms. Calling it again while it waits for running jobs to finish ends that waiting.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      hurried = true;
      return;
    }
    try (var speaking = ground.logs.borrow()) {
      stop();
    }
  }

  private void stop() {
    log.info("Node {} stops; it holds {} jobs", id(), held());
    threads.claiming().forEach(Driver.Driven::close);
    work.claimers.all().forEach(Claimer::stop);
    await(() -> hurried || held() == 0, ground.settings.shutdownGrace());
    if (held() > 0) {
      log.warn("{} jobs are interrupted and handed back, unspent", held());
      for (Holding holding : ground.holdings.all()) {
        holding.stop(StopReason.HANDED_BACK);
      }
    }
    await(this::isEmpty, AFTER_INTERRUPT);
    threads.clocks().forEach(Driver.Driven::close);
    threads.completer().close();
    boolean empty = isEmpty();
    if (empty) {
      ground.alone.leave();
    }
    ground.leases.close();
    threads.heart().forEach(Driver.Driven::close);
    if (empty) {
      leave();
    } else {
      log.error(
          "Jobs of node {} ignored their interrupt or could not be written; they stay held until"
              + " its terms are over",
          id());
    }
    subscription.run();
    ground.bus.close();
    work.executors.forEach(TaskExecutor::close);
    ground.events.close();
    log.info("Node {} has stopped", id());
  }

  private void leave() {
    try {
      ground.store.nodes().leave(incarnation());
      ground.bus.publish(new Signal.SchedulesChanged()); // Perhaps nobody else declared one.
    } catch (StoreException away) {
      log.warn("Node {} could not say goodbye: {}", id(), away.getMessage());
    }
  }

  /** Whether nothing is held, nor any code goes on for what was. */
  private boolean isEmpty() {
    return held() == 0 && life.fence.isQuiet();
  }

  private void await(BooleanSupplier wish, Duration atMost) {
    long begun = System.nanoTime();
    long most = TimeUnit.NANOSECONDS.convert(atMost); // As long as can be, where it does not fit.
    boolean interrupted = false;
    while (!wish.getAsBoolean() && System.nanoTime() - begun < most) {
      LockSupport.parkNanos(this, Duration.ofMillis(5).toNanos());
      interrupted |= Thread.interrupted(); // Or park would return at once for ever.
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
