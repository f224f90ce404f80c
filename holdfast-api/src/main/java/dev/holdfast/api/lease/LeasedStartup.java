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
      case Acquisition.Got got -> run(got.lease(), work);
    };
  }

  private static <E extends Exception> boolean run(Lease lease, Work<E> work) throws E {
    try {
      work.run();
    } catch (Throwable failure) {
      // Errors, too: the next node must not take it for done.
      fail(lease, failure);
      throw failure;
    }
    try (lease) {
      return lease.complete();
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
