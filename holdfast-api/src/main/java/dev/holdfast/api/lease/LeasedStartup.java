package dev.holdfast.api.lease;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Implements start-up actions with leases. */
final class LeasedStartup implements StartupCoordinator {
  private static final String PREFIX = "startup:";

  private final Leases leases;
  private final Map<String, Lease> taken = new ConcurrentHashMap<>();

  LeasedStartup(Leases leases) {
    this.leases = leases;
  }

  @Override
  public Acquisition tryAcquire(String action, Duration ttl) {
    Acquisition acquisition = leases.acquireOnce(PREFIX + action, ttl);
    acquisition.toOptional().ifPresent(lease -> taken.put(action, lease));
    return acquisition;
  }

  @Override
  public <E extends Exception> boolean runOnce(String action, Duration ttl, Work<E> work) throws E {
    return switch (tryAcquire(action, ttl)) {
      case Acquisition.Busy busy -> false;
      case Acquisition.Acquired acquired -> run(acquired.lease(), work);
    };
  }

  private static <E extends Exception> boolean run(Lease lease, Work<E> work) throws E {
    Alarm alarm = new Alarm(Thread.currentThread());
    lease.onLost(alarm::ring);
    try {
      work.run();
    } catch (Throwable failure) {
      boolean lost = alarm.off();
      // For errors, too: the next node must not consider the action done.
      fail(lease, failure);
      if (lost && failure instanceof InterruptedException) {
        return false;
      }
      throw failure;
    }
    if (alarm.off()) {
      // Interrupted work may be half done. If no other node has the lease yet, the next may try.
      try (lease) {
        lease.fail("The lease was lost while the work was running.");
      }
      return false;
    }
    try (lease) {
      return lease.complete();
    }
  }

  /** Interrupts the working thread if its lease is lost, but never after the work has ended. */
  private static final class Alarm {
    private final Thread worker;
    private boolean rang;
    private boolean over;

    Alarm(Thread worker) {
      this.worker = worker;
    }

    synchronized void ring() {
      if (!over) {
        rang = true;
        worker.interrupt();
      }
    }

    /**
     * Ends the watch and clears the interrupt. Called by the working thread.
     *
     * @return whether the thread was interrupted
     */
    synchronized boolean off() {
      over = true;
      if (rang) {
        Thread.interrupted();
      }
      return rang;
    }
  }

  private static void fail(Lease lease, Throwable failure) {
    try (lease) {
      lease.fail(failure.toString());
    } catch (RuntimeException notWritten) {
      failure.addSuppressed(notWritten);
    }
  }

  @Override
  public boolean isDone(String action) {
    return leases
        .find(PREFIX + action)
        .filter(info -> info.state() == LeaseState.DONE && !info.remaining().isZero())
        .isPresent();
  }

  @Override
  public boolean release(String action) {
    Lease own = taken.remove(action);
    boolean letGo =
        own != null && own.isHeld() && own.fail("The action was released by its holder.");
    return leases.reopen(PREFIX + action) || letGo;
  }
}
