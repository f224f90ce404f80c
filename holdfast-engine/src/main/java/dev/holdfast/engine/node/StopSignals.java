package dev.holdfast.engine.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains the nodes of this process when it is told to stop: by SIGTERM as orchestrators send it, by
 * SIGINT, or by {@code System.exit}. A process has only one handler for each signal, so all nodes
 * share it: they drain at the same time, and the process ends when all have stopped. A second
 * signal ends the process immediately; a shutdown hook alone would not receive it. Where signals
 * cannot be handled, the shutdown hook drains the nodes.
 */
final class StopSignals {
  private static final Logger log = LoggerFactory.getLogger(StopSignals.class);
  private static final int STOPPED_BY_SIGNAL = 143;
  private static final StopSignals OF_PROCESS = new StopSignals();

  private final Set<HoldfastNode> nodes = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean asked = new AtomicBoolean();
  private boolean installed;

  private StopSignals() {}

  /** Also drains this node when the process is told to stop. */
  static void drain(HoldfastNode node) {
    OF_PROCESS.add(node);
  }

  /** Forgets a node that has stopped. */
  static void forget(HoldfastNode node) {
    OF_PROCESS.nodes.remove(node);
  }

  private synchronized void add(HoldfastNode node) {
    nodes.add(node);
    if (installed) {
      return;
    }
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(this::closeAll, "holdfast-shutdown"));
    } catch (IllegalStateException ending) {
      log.warn(
          "Node {} is stopped right after its start: the process is already shutting down",
          node.id());
      node.close();
      return;
    }
    installed = true;
    TerminationSignals.handle(this::onSignal);
  }

  private void onSignal() {
    if (asked.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon(false).name("holdfast-drain").start(this::drainAndExit);
    } else {
      log.warn(
          "A second signal to stop arrived; the process ends immediately, without draining its"
              + " nodes");
      Runtime.getRuntime().halt(STOPPED_BY_SIGNAL);
    }
  }

  private void drainAndExit() {
    try {
      closeAll();
    } finally {
      // Runs the program's own shutdown hooks, as the signal would have.
      System.exit(STOPPED_BY_SIGNAL);
    }
  }

  /** Closes all nodes at the same time: one after the other, each would need its own grace. */
  private void closeAll() {
    List<Thread> closing = new ArrayList<>();
    for (HoldfastNode node : nodes) {
      closing.add(Thread.ofPlatform().name("holdfast-drain-" + node.id()).start(node::close));
    }
    for (Thread thread : closing) {
      try {
        thread.join(); // A node stops within its own deadline.
      } catch (InterruptedException notNow) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
