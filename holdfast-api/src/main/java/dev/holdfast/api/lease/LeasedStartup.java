package dev.holdfast.api.lease;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Start-up actions as leases. */
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
      case Acquisition.Acquired got -> run(got.lease(), work);
    };
  }

  private static <E extends Exception> boolean run(Lease lease, Work<E> work) throws E {
    Alarm alarm = new Alarm(Thread.currentThread());
    lease.onLost(alarm::ring);
    try {
      work.run();
    } catch (Throwable failure) {
      boolean lost = alarm.off();
      // Errors, too: the next node must not take it for done.
      fail(lease, failure);
      if (lost && failure instanceof InterruptedException) {
        return false;
      }
      throw failure;
    }
    if (alarm.off()) {
      // Work that was interrupted may return half done. If nobody has it yet, the next may try.
      try (lease) {
        lease.fail("It was lost while its work went on.");
      }
      return false;
    }
    try (lease) {
      return lease.complete();
    }
  }

  /** Interrupts the thread that works, if its lease is lost; never what it does afterwards. */
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
     * The work is over, and so is the interrupt. Called by the thread that worked.
     *
     * @return whether it was interrupted
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
    boolean letGo = own != null && own.isHeld() && own.fail("It was released by its holder.");
    return leases.reopen(PREFIX + action) || letGo;
  }
}
