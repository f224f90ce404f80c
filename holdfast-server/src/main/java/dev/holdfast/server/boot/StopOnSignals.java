package dev.holdfast.server.boot;

import dev.holdfast.engine.node.TerminationSignals;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops a server when the process is told to: the first SIGTERM or SIGINT drains it, the second
 * interrupts its jobs, the third ends the process. Where signals cannot be handled, a shutdown hook
 * drains the server.
 */
public final class StopOnSignals {
  private static final Logger log = LoggerFactory.getLogger(StopOnSignals.class);
  private static final int STOPPED_BY_SIGNAL = 143;

  private final HoldfastServer server;
  private final AtomicInteger signals = new AtomicInteger();
  private final CountDownLatch stopped = new CountDownLatch(1);

  private StopOnSignals(HoldfastServer server) {
    this.server = server;
  }

  /** Waits until the process is told to stop and the server has stopped. */
  public static void await(HoldfastServer server) throws InterruptedException {
    StopOnSignals stop = new StopOnSignals(server);
    if (!TerminationSignals.handle(stop::onSignal)) {
      Runtime.getRuntime().addShutdownHook(new Thread(server::close, "holdfast-shutdown"));
    }
    stop.stopped.await();
  }

  private void onSignal() {
    switch (signals.incrementAndGet()) {
      case 1 -> Thread.ofPlatform().daemon(false).name("holdfast-drain").start(this::drain);
      case 2 -> {
        log.warn("A second signal to stop arrived: running jobs are interrupted");
        Thread.ofPlatform().daemon(true).name("holdfast-stop").start(server::stopNow);
      }
      default -> Runtime.getRuntime().halt(STOPPED_BY_SIGNAL);
    }
  }

  private void drain() {
    try {
      server.close();
    } finally {
      stopped.countDown();
    }
  }
}
