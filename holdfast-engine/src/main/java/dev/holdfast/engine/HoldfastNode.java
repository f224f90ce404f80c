package dev.holdfast.engine;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.StoreException;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.finish.Completer;
import dev.holdfast.engine.live.Heart;
import dev.holdfast.engine.role.RoleThread;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.StopReason;
import dev.holdfast.engine.run.TaskExecutor;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.wake.SignalBus;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
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
      Identities identities,
      SignalBus bus,
      Holdings holdings,
      Heart heart,
      Completer completer,
      List<Claimer> claimers,
      Threads threads,
      List<TaskExecutor> executors,
      Runnable subscription,
      LifecycleEvents events,
      Holdfast client) {}

  /** Who the node is. */
  interface Identities {
    UUID incarnation();
  }

  /** The threads that drive the roles, by when they must stop. */
  record Threads(
      List<RoleThread> claiming, List<RoleThread> clocks, RoleThread completer, RoleThread heart) {}

  private final Parts parts;
  private final AtomicBoolean closed = new AtomicBoolean();

  HoldfastNode(Parts parts) {
    this.parts = parts;
  }

  /** Begin to build a node on a store. */
  public static NodeBuilder on(Store store) {
    return new NodeBuilder(store);
  }

  void start() {
    parts.heart().register();
    parts.events().start();
    parts.events().nodeJoined(incarnation());
    Threads threads = parts.threads();
    threads.completer().start();
    threads.heart().start();
    threads.clocks().forEach(RoleThread::start);
    threads.claiming().forEach(RoleThread::start);
    log.info(
        "Node {} serves {} with up to {} jobs at once",
        id(),
        parts.settings().queues().keySet(),
        parts.settings().maxConcurrent());
  }

  /** A client that wakes this node without a detour through the database. */
  public Holdfast client() {
    return parts.client();
  }

  /** What people call this node. */
  public String id() {
    return parts.settings().id();
  }

  /** The incarnation that its claims belong to. */
  public UUID incarnation() {
    return parts.identities().incarnation();
  }

  /** How many jobs it holds. */
  public int held() {
    return parts.holdings().size();
  }

  /**
   * Stop: claim no more, give back what has not begun, let running jobs finish within the grace,
   * then interrupt them and give back those that stop. What ignores its interrupt stays held until
   * the process ends. Calling it again does nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    log.info("Node {} stops; it holds {} jobs", id(), held());
    Threads threads = parts.threads();
    threads.claiming().forEach(RoleThread::close);
    parts.claimers().forEach(Claimer::stop);
    if (!awaitNothingHeld(parts.settings().shutdownGrace())) {
      log.warn("{} jobs are interrupted and handed back, unspent", held());
      for (Holding holding : parts.holdings().all()) {
        holding.stop(StopReason.HANDED_BACK);
      }
      awaitNothingHeld(AFTER_INTERRUPT);
    }
    threads.clocks().forEach(RoleThread::close);
    threads.completer().close();
    threads.heart().close();
    leave();
    parts.subscription().run();
    parts.bus().close();
    parts.executors().forEach(TaskExecutor::close);
    parts.events().close();
    log.info("Node {} has stopped", id());
  }

  private void leave() {
    if (held() > 0) {
      log.error(
          "{} jobs ignored their interrupt or could not be written; they stay held until they are"
              + " recovered",
          held());
    }
    try {
      parts.store().nodes().leave(incarnation());
    } catch (StoreException away) {
      log.warn("Node {} could not say goodbye: {}", id(), away.getMessage());
    }
  }

  private boolean awaitNothingHeld(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (held() > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(this, Duration.ofMillis(5).toNanos());
    }
    return held() == 0;
  }
}
