package dev.holdfast.engine;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.api.lease.Locks;
import dev.holdfast.api.lease.StartupCoordinator;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.finish.Completer;
import dev.holdfast.engine.live.Fence;
import dev.holdfast.engine.live.Heart;
import dev.holdfast.engine.live.Identity;
import dev.holdfast.engine.mode.ModeChange;
import dev.holdfast.engine.mode.ModeSwitch;
import dev.holdfast.engine.mode.WrittenModes;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.LogContext;
import dev.holdfast.engine.run.StopReason;
import dev.holdfast.engine.run.TaskExecutor;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.wake.Signal;
import dev.holdfast.engine.wake.SignalBus;
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

  /** What a node is made of once it is assembled. */
  record Parts(
      NodeSettings settings,
      Store store,
      Identity identity,
      ModeSwitch modes,
      Waker claimersWaker,
      SignalBus bus,
      Holdings holdings,
      Heart heart,
      Completer completer,
      List<Claimer> claimers,
      Threads threads,
      List<TaskExecutor> executors,
      Runnable subscription,
      LifecycleEvents events,
      Holdfast client,
      HoldfastLeases leases,
      Alone alone,
      Fence fence,
      LogContext logs) {}

  /** The threads that drive the roles, by when they must stop. */
  record Threads(
      List<Driver.Driven> claiming,
      List<Driver.Driven> clocks,
      Driver.Driven completer,
      List<Driver.Driven> heart) {}

  private final Parts parts;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean running;
  private volatile boolean hurried;

  HoldfastNode(Parts parts) {
    this.parts = parts;
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
    try (var speaking = parts.logs().borrow()) {
      join();
      declare.run();
      work();
    } catch (RuntimeException | Error failure) {
      close();
      throw failure;
    }
  }

  private void join() {
    parts.alone().join(this::retire);
    warnOfNamesakes();
    warnOfNoRecovery();
    parts.heart().register();
    parts.alone().confirm();
  }

  private void work() {
    running = true;
    parts.events().start();
    parts.events().nodeJoined(incarnation());
    Threads threads = parts.threads();
    threads.completer().start();
    threads.heart().forEach(Driver.Driven::start);
    threads.clocks().forEach(Driver.Driven::start);
    threads.claiming().forEach(Driver.Driven::start);
    log.info(
        "Node {} serves {} with up to {} jobs at once",
        id(),
        parts.settings().queues().keySet(),
        parts.settings().maxConcurrent());
  }

  /** Stop at once: others may run what this node holds. */
  private void retire(String why) {
    try (var speaking = parts.logs().borrow()) {
      parts.fence().shutForGood(why);
    }
    close();
  }

  private void warnOfNamesakes() {
    for (NodeStatus other : parts.store().nodes().list()) {
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
    LivenessSettings liveness = parts.settings().liveness();
    if (!liveness.recoverClaimed() || !liveness.recoverRunning()) {
      log.warn(
          "Node {} does not take back {} jobs of nodes that die; where no other node does, they"
              + " stay held until somebody releases them",
          id(),
          liveness.recoverClaimed() ? "running" : liveness.recoverRunning() ? "claimed" : "any");
    }
  }

  /**
   * Whether this node takes part: started, not told to stop, and not fenced. For a readiness probe;
   * it turns false the moment {@link #close} is called.
   */
  public boolean isReady() {
    return running && !closed.get() && !parts.identity().tenure().isOver();
  }

  /** What it does with work at present, in general and by exception. */
  public Modes modes() {
    return parts.modes().modes();
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
        WrittenModes.change(parts.store().nodes(), incarnation(), change)
            .orElseThrow(() ->
                new StoreException(
                    StoreException.Outcome.RETRYABLE,
                    "The mode of node %s was not changed, since it is starting over or has stopped: ask again."
                        .formatted(id()),
                    null));
    parts.modes().choose(modes);
    parts.claimersWaker().wake();
  }

  /** A client that wakes this node without a detour through the database. */
  public Holdfast client() {
    return parts.client();
  }

  /** Leases held in the name of this node. What is still held when the node is closed is lost. */
  public Leases leases() {
    return parts.leases();
  }

  /** Named locks, held in the name of this node. */
  public Locks locks() {
    return parts.leases().locks();
  }

  /** Work to be done by one node when they start. */
  public StartupCoordinator startup() {
    return parts.leases().startup();
  }

  /** What people call this node. */
  public String id() {
    return parts.settings().id();
  }

  /** The incarnation that its claims belong to. */
  public UUID incarnation() {
    return parts.identity().incarnation();
  }

  /** How many jobs it holds. */
  public int held() {
    return parts.holdings().size();
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
    try (var speaking = parts.logs().borrow()) {
      stop();
    }
  }

  private void stop() {
    log.info("Node {} stops; it holds {} jobs", id(), held());
    Threads threads = parts.threads();
    threads.claiming().forEach(Driver.Driven::close);
    parts.claimers().forEach(Claimer::stop);
    await(() -> hurried || held() == 0, parts.settings().shutdownGrace());
    if (held() > 0) {
      log.warn("{} jobs are interrupted and handed back, unspent", held());
      for (Holding holding : parts.holdings().all()) {
        holding.stop(StopReason.HANDED_BACK);
      }
    }
    await(this::isEmpty, AFTER_INTERRUPT);
    threads.clocks().forEach(Driver.Driven::close);
    threads.completer().close();
    boolean empty = isEmpty();
    if (empty) {
      parts.alone().leave();
    }
    parts.leases().close();
    threads.heart().forEach(Driver.Driven::close);
    if (empty) {
      leave();
    } else {
      log.error(
          "Jobs of node {} ignored their interrupt or could not be written; they stay held until"
              + " its terms are over",
          id());
    }
    parts.subscription().run();
    parts.bus().close();
    parts.executors().forEach(TaskExecutor::close);
    parts.events().close();
    log.info("Node {} has stopped", id());
  }

  private void leave() {
    try {
      parts.store().nodes().leave(incarnation());
      parts.bus().publish(new Signal.SchedulesChanged()); // Perhaps nobody else declared one.
    } catch (StoreException away) {
      log.warn("Node {} could not say goodbye: {}", id(), away.getMessage());
    }
  }

  /** Whether nothing is held, nor any code goes on for what was. */
  private boolean isEmpty() {
    return held() == 0 && parts.fence().isQuiet();
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
